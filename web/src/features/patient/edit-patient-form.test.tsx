import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { byPath } from '@/test/by-path';
import { aPatient } from '@/test/patients';
import { renderInApp } from '@/test/render';
import { failure, success } from '@/test/server';
import { EditPatientForm } from './edit-patient-form';

const RECORD = { ...aPatient(), appointmentCounts: { total: 0, upcoming: 0, noShow: 0 } };
const input = (name: string) => screen.getByLabelText(new RegExp(`^${name}( \\*)?$`), { selector: 'input' });
const write = (name: string, value: string) => fireEvent.change(input(name), { target: { value } });
const save = () => fireEvent.click(screen.getByRole('button', { name: 'บันทึก' }));
const conflictWith = (fields: Parameters<typeof aPatient>[0]) =>
  failure(409, 'CONFLICT_VERSION', 'มีผู้อื่นแก้ไข', { details: { current: aPatient({ version: 2, ...fields }) } });

function setUp(...answers: Parameters<typeof byPath>[0][string]) {
  const sent = byPath({ '/update': answers });
  renderInApp(<EditPatientForm patient={RECORD} />);
  return () => sent('/update') as Record<string, unknown>[];
}

vi.setConfig({ testTimeout: 30_000 });
afterEach(() => vi.unstubAllGlobals());

test('sends only what changed, of the address too, and never a masked card', async () => {
  const sent = setUp(success(aPatient({ occupation: 'ครู', version: 2 })));
  write('อาชีพ', 'ครู');
  write('หมู่ที่', '4');
  save();
  await waitFor(() =>
    expect(sent()).toEqual([{ id: 1, version: 1, occupation: 'ครู', address: { moo: '4' } }]),
  );
});

test('the ID card number can be changed without showing the old one', async () => {
  const sent = setUp(success(aPatient({ idCard: '1-0000-xxxxx-05-0', version: 2 })));
  expect(input('เลขประจำตัวประชาชน')).toHaveValue('1-1111-xxxxx-11-9');
  expect(input('เลขประจำตัวประชาชน')).toHaveAttribute('readonly');
  fireEvent.click(screen.getByRole('button', { name: 'เปลี่ยนเลข' }));
  expect(input('เลขประจำตัวประชาชน')).toHaveValue('');
  save();
  expect(await screen.findByText('กรุณากรอกเลขประจำตัวประชาชน')).toBeVisible();
  write('เลขประจำตัวประชาชน', '1000000000050');
  save();
  await waitFor(() => expect(sent()).toEqual([{ id: 1, version: 1, idCard: '1000000000050' }]));
});

test('the stored number can be restored', () => {
  const sent = setUp();
  fireEvent.click(screen.getByRole('button', { name: 'เปลี่ยนเลข' }));
  write('เลขประจำตัวประชาชน', '1000000000050');
  fireEvent.click(screen.getByRole('button', { name: 'ใช้เลขเดิม 1-1111-xxxxx-11-9' }));
  expect(input('เลขประจำตัวประชาชน')).toHaveValue('1-1111-xxxxx-11-9');
  save();
  expect(sent()).toEqual([]);
});

test('a conflict on the ID card shows the masked stored number and the typed one', async () => {
  const sent = setUp(conflictWith({ idCard: '3-1005-xxxxx-12-1' }), success(aPatient({ version: 3 })));
  fireEvent.click(screen.getByRole('button', { name: 'เปลี่ยนเลข' }));
  write('เลขประจำตัวประชาชน', '1000000000050');
  save();
  const dialog = await screen.findByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });
  const card = within(dialog).getByRole('radiogroup', { name: 'เลขประจำตัวประชาชน' });
  expect(within(card).getByRole('radio', { name: /ล่าสุดในระบบ 3-1005-xxxxx-12-1/ })).not.toBeChecked();
  fireEvent.click(within(card).getByRole('radio', { name: /ของฉัน 1-0000-00000-05-0/ }));
  fireEvent.click(within(dialog).getByRole('button', { name: 'บันทึกตามที่เลือก' }));
  await waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()[1]).toEqual({ id: 1, version: 2, idCard: '1000000000050' });
});

test('nothing changed sends nothing', () => {
  const sent = setUp();
  save();
  expect(sent()).toEqual([]);
});

test('a version conflict shows both values and saves what was chosen for each', async () => {
  const sent = setUp(
    conflictWith({ firstName: 'สมหญิง', occupation: 'พยาบาล' }),
    success(aPatient({ version: 3 })),
  );
  write('ชื่อ', 'สมใจ');
  write('อาชีพ', 'ครู');
  save();
  const dialog = await screen.findByRole('dialog', { name: 'มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว' });
  const name = within(dialog).getByRole('radiogroup', { name: 'ชื่อ' });
  expect(within(name).getByRole('radio', { name: /ของฉัน สมใจ/ })).toBeChecked();
  expect(within(name).getByRole('radio', { name: /ล่าสุดในระบบ สมหญิง/ })).not.toBeChecked();
  const work = within(dialog).getByRole('radiogroup', { name: 'อาชีพ' });
  fireEvent.click(within(work).getByRole('radio', { name: /พยาบาล/ }));
  fireEvent.click(within(dialog).getByRole('button', { name: 'บันทึกตามที่เลือก' }));
  await waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()[1]).toEqual({ id: 1, version: 2, firstName: 'สมใจ' });
});

test('takes over changes of another user without asking', async () => {
  const sent = setUp(conflictWith({ occupation: 'พยาบาล' }), success(aPatient({ version: 3 })));
  write('ศาสนา', 'พุทธ');
  save();
  await waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()[1]).toEqual({ id: 1, version: 2, religion: 'พุทธ' });
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a change elsewhere that says the same is saved on top of it without a question', async () => {
  const sent = setUp(conflictWith({ occupation: 'ครู' }), success(aPatient({ version: 3 })));
  write('อาชีพ', 'ครู');
  write('ศาสนา', 'พุทธ');
  save();
  await waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()[1]).toMatchObject({ version: 2, religion: 'พุทธ' });
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('rejects the ID card of another patient at its input, with a link to that record', async () => {
  const other = aPatient({ id: 9, hn: '0000009', firstName: 'มานี' });
  setUp(
    failure(409, 'DUPLICATE', 'มีแล้ว', {
      fields: [{ field: 'idCard', message: 'มีผู้ป่วยที่ใช้เลขประจำตัวประชาชนนี้แล้ว HN 0000009' }],
      details: { candidates: [other] },
    }),
  );
  write('เลขประจำตัวประชาชน', '1000000000050');
  save();
  expect(await screen.findByText(/นี้แล้ว HN 0000009$/)).toBeVisible();
  expect(await screen.findByRole('link', { name: /เปิดข้อมูลของ นางมานี ใจดี/ })).toBeVisible();
});

test('asks about a patient with the same name and birth date at each save', async () => {
  const alike = failure(409, 'POSSIBLE_DUPLICATE', 'อาจซ้ำ', {
    details: { candidates: [aPatient({ id: 9 })] },
  });
  const sent = setUp(alike, success(aPatient({ firstName: 'สมใจ', version: 2 })), alike);
  write('ชื่อ', 'สมใจ');
  save();
  fireEvent.click(await screen.findByRole('button', { name: 'เป็นคนละคน บันทึกต่อ' }));
  await waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()[1]).toEqual({ id: 1, version: 1, firstName: 'สมใจ', confirmDuplicate: true });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  write('ชื่อ', 'สมชาย');
  save();
  await waitFor(() => expect(sent()).toHaveLength(3));
  expect(sent()[2]).toEqual({ id: 1, version: 2, firstName: 'สมชาย' });
});
