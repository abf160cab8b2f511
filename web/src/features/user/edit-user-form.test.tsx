import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderInApp } from '@/test/render';
import { failure, routes, success } from '@/test/server';
import type { User } from './api';
import { EditUserForm } from './edit-user-form';

const ROLES = [
  { id: 1, name: 'ADMIN', label: 'ผู้ดูแลระบบ' },
  { id: 3, name: 'NURSE', label: 'พยาบาล' },
];
const USER: User = {
  id: 7,
  username: 'anong.s',
  email: 'anong.s@sinakhon.example',
  name: 'อนงค์ สายสุวรรณ',
  phone: '0812340108',
  position: 'พยาบาลวิชาชีพ',
  licenseNo: '4511201877',
  roleId: 3,
  role: { id: 3, name: 'NURSE', label: 'พยาบาล' },
  serviceIds: [],
  status: 'ACTIVE',
  mustChangePassword: false,
  totpEnabled: false,
  resetRequestedAt: null,
  lastLoginAt: null,
  version: 4,
  createdAt: '2026-11-01T02:00:00Z',
  updatedAt: '2026-11-01T02:00:00Z',
};
const staleVersion = (current: User) =>
  failure(409, 'CONFLICT_VERSION', 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว', { details: { current } });

const phone = () => screen.getByRole('textbox', { name: 'โทรศัพท์' });
const position = () => screen.getByRole('textbox', { name: 'ตำแหน่ง' });
const save = () => userEvent.click(screen.getByRole('button', { name: 'บันทึก' }));
const dialog = () => screen.findByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });

let requests: Request[] = [];
const posted = async () =>
  Promise.all(requests.filter(({ method }) => method === 'POST').map((request) => request.clone().json()));

function setUp(...answers: NonNullable<Parameters<typeof routes>[0]['POST']>) {
  requests = routes({ GET: [success(ROLES)], POST: answers });
  renderInApp(<EditUserForm user={USER} />);
}

const typePhone = (value: string) => fireEvent.change(phone(), { target: { value } });

beforeEach(() => {
  requests = [];
});
afterEach(() => vi.unstubAllGlobals());

test('sends only the changed fields', async () => {
  setUp(success({ ...USER, phone: '0899999999', version: 5 }));
  typePhone('0899999999');
  await save();
  await waitFor(async () => expect(await posted()).toEqual([{ id: 7, version: 4, phone: '0899999999' }]));
});

test('sends nothing without changes', async () => {
  setUp();
  await save();
  await waitFor(() => expect(screen.getByRole('button', { name: 'บันทึก' })).toBeEnabled());
  expect(await posted()).toEqual([]);
});

test('a change of other fields by another user is no conflict', async () => {
  const theirs = { ...USER, totpEnabled: true, version: 5 };
  setUp(staleVersion(theirs), success({ ...theirs, phone: '0899999999', version: 6 }));
  typePhone('0899999999');
  await save();
  await waitFor(async () => expect(await posted()).toHaveLength(2));
  expect((await posted())[1]).toEqual({ id: 7, version: 5, phone: '0899999999' });
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a conflict asks about the common field and takes over the other changes', async () => {
  const theirs = { ...USER, phone: '0811111111', position: 'หัวหน้าพยาบาล', version: 5 };
  setUp(staleVersion(theirs), success({ ...theirs, phone: '0822222222', version: 6 }));
  typePhone('0822222222');
  await save();
  expect(await dialog()).toBeVisible();
  expect(screen.getByRole('radio', { name: 'ของฉัน 0822222222' })).toBeChecked();
  expect(screen.getByRole('radio', { name: 'ล่าสุดในระบบ 0811111111' })).not.toBeChecked();
  expect(screen.getAllByRole('radiogroup')).toHaveLength(1);
  await userEvent.click(screen.getByRole('button', { name: 'บันทึกตามที่เลือก' }));
  await waitFor(async () => expect(await posted()).toHaveLength(2));
  expect((await posted())[1]).toEqual({ id: 7, version: 5, phone: '0822222222' });
  await waitFor(() => expect(position()).toHaveValue('หัวหน้าพยาบาล'));
});

test('merges another field changed by another user without asking', async () => {
  const theirs = { ...USER, position: 'หัวหน้าพยาบาล', version: 5 };
  setUp(staleVersion(theirs), success({ ...theirs, phone: '0822222222', version: 6 }));
  typePhone('0822222222');
  await save();
  await waitFor(() => expect(position()).toHaveValue('หัวหน้าพยาบาล'));
  expect((await posted())[1]).toEqual({ id: 7, version: 5, phone: '0822222222' });
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('the other version can be chosen and is not sent back', async () => {
  setUp(staleVersion({ ...USER, phone: '0811111111', version: 5 }));
  typePhone('0822222222');
  await save();
  await dialog();
  await userEvent.click(screen.getByRole('button', { name: 'ใช้ข้อมูลล่าสุดทั้งหมด' }));
  await waitFor(() => expect(phone()).toHaveValue('0811111111'));
  expect(await posted()).toHaveLength(1);
});

test('closing the conflict keeps the typed values', async () => {
  setUp(staleVersion({ ...USER, phone: '0811111111', version: 5 }));
  typePhone('0822222222');
  await save();
  await dialog();
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(phone()).toHaveValue('0822222222');
});

test('an error keeps the form and shows the reason', async () => {
  setUp(failure(409, 'LAST_ADMIN', 'ต้องมีผู้ดูแลระบบอย่างน้อยหนึ่งคน'));
  typePhone('0822222222');
  await save();
  expect(await screen.findByRole('alert')).toHaveTextContent('ต้องมีผู้ดูแลระบบอย่างน้อยหนึ่งคน');
  expect(phone()).toHaveValue('0822222222');
});
