import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PermissionInfo } from '@/entities/role/api';
import { PermissionsProvider } from '@/entities/session/session';
import { renderInApp } from '@/test/render';
import type { Permission, Role } from './api';
import { EMPTY_DRAFT } from './draft';
import { RoleEditor } from './role-editor';

const CATALOGUE = (
  [
    ['USER.SHOW', 'ดูผู้ใช้งาน', 'USER'],
    ['USER.CREATE', 'เพิ่มผู้ใช้งาน', 'USER'],
    ['ROLE.SHOW', 'ดูบทบาท', 'ROLE'],
    ['AUDIT.SHOW', 'ดูบันทึกการใช้งาน', 'REPORT'],
  ] satisfies [Permission, string, string][]
).map(
  ([name, label, group]): PermissionInfo => ({
    name,
    label,
    group,
    labelEn: name,
    groupLabel: `กลุ่ม ${group}`,
    groupEn: group,
  }),
);

const ROLE: Role = {
  id: 7,
  name: 'WARD',
  label: 'ห้องบัตร',
  permissions: ['USER.SHOW'],
  system: false,
  userCount: 4,
  version: 3,
  createdAt: '2026-11-15T00:00:00Z',
  updatedAt: '2026-11-15T00:00:00Z',
};

interface Answer {
  status: number;
  body: unknown;
}

let held: string[];
let sent: unknown[];
let answer: Answer;
/** The responses before `answer`. */
let first: Answer[];

beforeEach(() => {
  held = ['USER.SHOW', 'USER.CREATE', 'ROLE.SHOW', 'ROLE.CREATE', 'ROLE.UPDATE'];
  sent = [];
  first = [];
  answer = { status: 200, body: { success: true, data: { ...ROLE, version: 4 } } };
  vi.stubGlobal('fetch', async (request: Request) => {
    const reads: Record<string, unknown> = {
      '/admin/api/v1.0/auth/permissions': held,
      '/admin/api/v1.0/auth/me': { id: 1, roleId: 1, name: 'x' },
    };
    const read = reads[new URL(request.url).pathname];
    if (read) return Response.json({ success: true, data: read });
    sent.push(await request.json());
    const { body, status } = first.shift() ?? answer;
    return Response.json(body, { status });
  });
});
afterEach(() => vi.unstubAllGlobals());

const box = (name: RegExp) => screen.getByRole('checkbox', { name });
const bar = () => screen.getByRole('region', { name: 'สิ่งที่จะบันทึก' });

function renderEditor(role: Role) {
  const onSaved = vi.fn();
  renderInApp(
    <PermissionsProvider>
      <RoleEditor role={role} start={EMPTY_DRAFT} catalogue={CATALOGUE} onSaved={onSaved} />
    </PermissionsProvider>,
  );
  return onSaved;
}

async function renderRole() {
  const onSaved = renderEditor(ROLE);
  await waitFor(() => expect(box(/USER.CREATE/)).toBeEnabled());
  return onSaved;
}

test('lists the pending changes by name until they are undone', async () => {
  await renderRole();
  expect(screen.queryByRole('region', { name: 'สิ่งที่จะบันทึก' })).toBeNull();
  // A screen reader announces changes of an existing region, not one inserted together with its text.
  const told = screen.getAllByRole('status').find((region) => region.textContent === '');
  await userEvent.click(box(/USER.CREATE/));
  await userEvent.click(box(/USER.SHOW/));
  expect(told).toHaveTextContent('เพิ่ม 1 สิทธิ์ · ถอน 1 สิทธิ์ · มีผลกับผู้ใช้งาน 4 คน');
  expect(within(bar()).getByRole('insertion')).toHaveTextContent('เพิ่มผู้ใช้งาน');
  expect(within(bar()).getByRole('deletion')).toHaveTextContent('ดูผู้ใช้งาน');
  await userEvent.click(box(/USER.CREATE/));
  await userEvent.click(box(/USER.SHOW/));
  expect(screen.queryByRole('region', { name: 'สิ่งที่จะบันทึก' })).toBeNull();
});

test('saving sends the whole role with its version, once', async () => {
  const onSaved = await renderRole();
  await userEvent.click(box(/USER.CREATE/));
  await userEvent.dblClick(screen.getByRole('button', { name: 'บันทึกบทบาท' }));
  await waitFor(() => expect(onSaved).toHaveBeenCalledTimes(1));
  expect(sent).toEqual([
    { id: 7, version: 3, name: 'WARD', label: 'ห้องบัตร', permissions: ['USER.SHOW', 'USER.CREATE'] },
  ]);
});

test('the group’s checkbox selects all grantable permissions and shows a partial state', async () => {
  await renderRole();
  const group = box(/^กลุ่ม USER/);
  expect(group).toBePartiallyChecked();
  await userEvent.click(group);
  expect(group).toBeChecked();
  expect(box(/USER.CREATE/)).toBeChecked();
  await userEvent.click(group);
  expect(group).not.toBeChecked();
  expect(box(/USER.SHOW/)).not.toBeChecked();
});

test('permissions that the user lacks are disabled with a reason', async () => {
  await renderRole();
  expect(box(/AUDIT.SHOW/)).toBeDisabled();
  expect(box(/AUDIT.SHOW ท่านไม่มีสิทธิ์นี้/)).toBeDisabled();
});

test('a role with more permissions than the user’s is read-only', async () => {
  renderEditor({ ...ROLE, permissions: ['AUDIT.SHOW'] });
  expect(await screen.findByText(/บทบาทนี้มีสิทธิ์ที่ท่านไม่มี/)).toBeVisible();
  expect(box(/USER.SHOW/)).toBeDisabled();
  expect(box(/AUDIT.SHOW/)).toBeChecked();
});

test('arrow keys move through the enabled checkboxes', async () => {
  await renderRole();
  box(/USER.CREATE/).focus();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  expect(box(/ROLE.SHOW/)).toHaveFocus();
  await userEvent.keyboard('{ArrowDown}');
  expect(box(/ROLE.SHOW/)).toHaveFocus();
  await userEvent.keyboard('{Home}');
  expect(box(/^กลุ่ม USER/)).toHaveFocus();
});

describe('an error', () => {
  const failure = (status: number, error: object) => ({
    status,
    body: { success: false, error: { message: 'ไม่ได้', requestId: 'req-1', ...error } },
  });

  test('of a field is shown at the field', async () => {
    answer = failure(409, { code: 'DUPLICATE', fields: [{ field: 'name', message: 'รหัสนี้มีแล้ว' }] });
    await renderRole();
    await userEvent.click(box(/USER.CREATE/));
    await userEvent.click(screen.getByRole('button', { name: 'บันทึกบทบาท' }));
    expect(await screen.findByText('รหัสนี้มีแล้ว')).toBeVisible();
    expect(screen.getByLabelText(/รหัสบทบาท/)).toHaveFocus();
    expect(box(/USER.CREATE/)).toBeChecked();
    await userEvent.type(screen.getByLabelText(/รหัสบทบาท/), '2');
    expect(screen.queryByText('รหัสนี้มีแล้ว')).toBeNull();
  });

  test('about granting names the permissions', async () => {
    answer = failure(403, { code: 'FORBIDDEN', details: { missing: ['AUDIT.SHOW'] } });
    await renderRole();
    await userEvent.click(box(/USER.CREATE/));
    await userEvent.click(screen.getByRole('button', { name: 'บันทึกบทบาท' }));
    expect(await within(bar()).findByRole('alert')).toHaveTextContent('รหัสอ้างอิง req-1');
    expect(within(bar()).getByText('ดูบันทึกการใช้งาน')).toBeVisible();
  });
});

describe('another user has saved the role', () => {
  const stale = (current: Partial<Role>): Answer => ({
    status: 409,
    body: {
      success: false,
      error: {
        code: 'CONFLICT_VERSION',
        message: 'ไม่ได้',
        details: { current: { ...ROLE, version: 4, ...current } },
      },
    },
  });
  const label = () => screen.getByLabelText(/ชื่อบทบาท/);

  test('merges permissions of both without asking', async () => {
    first = [stale({ permissions: ['USER.SHOW', 'ROLE.SHOW'] })];
    const onSaved = await renderRole();
    await userEvent.click(box(/USER.CREATE/));
    await userEvent.click(screen.getByRole('button', { name: 'บันทึกบทบาท' }));
    await waitFor(() => expect(onSaved).toHaveBeenCalledTimes(1));
    expect(sent[1]).toMatchObject({ version: 4, permissions: ['USER.SHOW', 'USER.CREATE', 'ROLE.SHOW'] });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('asks about a name that both changed', async () => {
    first = [stale({ label: 'ของเขา', permissions: ['USER.SHOW', 'ROLE.SHOW'] })];
    const onSaved = await renderRole();
    await userEvent.type(label(), ' ใหม่');
    await userEvent.click(screen.getByRole('button', { name: 'บันทึกบทบาท' }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getAllByRole('radiogroup')).toHaveLength(1);
    await userEvent.click(within(dialog).getByRole('radio', { name: /ของเขา/ }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'บันทึกตามที่เลือก' }));
    await waitFor(() => expect(onSaved).toHaveBeenCalled());
    // The user has no changes left to send.
    expect(sent).toHaveLength(1);
  });

  test('closing the dialog keeps the typed values', async () => {
    first = [stale({ label: 'ของเขา' })];
    await renderRole();
    await userEvent.type(label(), ' ใหม่');
    await userEvent.click(screen.getByRole('button', { name: 'บันทึกบทบาท' }));
    await screen.findByRole('dialog');
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(label()).toHaveValue('ห้องบัตร ใหม่');
    expect(within(bar()).queryByRole('alert')).toBeNull();
  });
});
