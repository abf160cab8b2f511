import { describe, expect, test } from 'vitest';
import type { PermissionInfo } from '@/entities/role/api';
import { th } from '@/i18n/th';
import { bothChanged, mergeChanges } from '@/lib/three-way';
import type { Permission, Role, RoleBody } from './api';
import {
  asCode,
  bodyOf,
  copyOf,
  draftOf,
  groupState,
  groupsOf,
  isSame,
  permissionChanges,
  problemsOf,
  roleFields,
  toggleGroup,
} from './draft';

const info = (name: Permission, label: string, group: string, groupLabel: string): PermissionInfo => ({
  name,
  label,
  labelEn: `en ${name}`,
  group,
  groupLabel,
  groupEn: `en ${group}`,
});

const CATALOGUE = [
  info('USER.SHOW', 'ดูผู้ใช้งาน', 'USER', 'ผู้ใช้งาน'),
  info('USER.CREATE', 'เพิ่มผู้ใช้งาน', 'USER', 'ผู้ใช้งาน'),
  info('USER.UPDATE', 'แก้ไขผู้ใช้งาน', 'USER', 'ผู้ใช้งาน'),
  info('ROLE.SHOW', 'ดูบทบาท', 'ROLE', 'บทบาท'),
];
const USER_GROUP = CATALOGUE.slice(0, 3);

const ROLE: Role = {
  id: 7,
  name: 'WARD',
  label: 'ห้องบัตร',
  permissions: ['ROLE.SHOW', 'USER.SHOW'],
  system: false,
  userCount: 0,
  version: 1,
  createdAt: '2026-11-15T00:00:00Z',
  updatedAt: '2026-11-15T00:00:00Z',
};

const set = (...names: Permission[]) => new Set(names);

test('changes are in the order of the catalogue', () => {
  const { added, removed } = permissionChanges(
    set('ROLE.SHOW', 'USER.SHOW'),
    set('USER.UPDATE', 'USER.CREATE', 'USER.SHOW'),
    CATALOGUE,
  );
  expect(added.map(({ label }) => label)).toEqual(['เพิ่มผู้ใช้งาน', 'แก้ไขผู้ใช้งาน']);
  expect(removed.map(({ label }) => label)).toEqual(['ดูบทบาท']);
});

test('checking and unchecking a box leaves nothing to save', () => {
  const draft = draftOf(ROLE);
  const there = { ...draft, permissions: set('USER.SHOW') };
  expect(isSame(draft, there)).toBe(false);
  expect(isSame(draft, { ...there, permissions: set('USER.SHOW', 'ROLE.SHOW') })).toBe(true);
  expect(isSame(draft, { ...draft, label: 'อื่น' })).toBe(false);
});

describe('the checkbox of a group', () => {
  const all = () => true;
  test.each([
    [set(), 'none'],
    [set('USER.SHOW'), 'some'],
    [set('USER.SHOW', 'USER.CREATE', 'USER.UPDATE'), 'all'],
    [set('ROLE.SHOW'), 'none'],
  ] as const)('shows the state of a group', (chosen, state) => {
    expect(groupState(chosen, USER_GROUP)).toBe(state);
  });

  test('selects all of the group and no others', () => {
    expect([...toggleGroup(set('ROLE.SHOW', 'USER.SHOW'), USER_GROUP, all)].sort()).toEqual([
      'ROLE.SHOW',
      'USER.CREATE',
      'USER.SHOW',
      'USER.UPDATE',
    ]);
  });

  test('clears the group if all are selected', () => {
    const chosen = set('ROLE.SHOW', 'USER.SHOW', 'USER.CREATE', 'USER.UPDATE');
    expect([...toggleGroup(chosen, USER_GROUP, all)]).toEqual(['ROLE.SHOW']);
  });

  test('never selects what the user may not grant, and can still clear it', () => {
    const may = (name: Permission) => name !== 'USER.UPDATE';
    const most = toggleGroup(set(), USER_GROUP, may);
    expect([...most].sort()).toEqual(['USER.CREATE', 'USER.SHOW']);
    expect(toggleGroup(most, USER_GROUP, may).size).toBe(0);
  });
});

describe('searching permissions', () => {
  test.each([
    ['', 2, 4],
    ['เพิ่ม', 1, 1],
    ['user.', 1, 3],
    ['บทบาท', 1, 1],
    ['en role', 1, 1],
    ['ไม่มีเลย', 0, 0],
  ])('"%s" finds %i groups with %i permissions', (text, groups, permissions) => {
    const found = groupsOf(CATALOGUE, 'th', text);
    expect(found).toHaveLength(groups);
    expect(found.flatMap((group) => group.permissions)).toHaveLength(permissions);
  });

  test('groups are named in the user’s language', () => {
    expect(groupsOf(CATALOGUE, 'th').map(({ label }) => label)).toEqual(['ผู้ใช้งาน', 'บทบาท']);
    expect(groupsOf(CATALOGUE, 'en').map(({ label }) => label)).toEqual(['en USER', 'en ROLE']);
  });
});

test('a copy has its own name and only grantable permissions', () => {
  const copy = copyOf(ROLE, ['USER.SHOW'], th);
  expect(copy.name).toBe('WARD_COPY');
  expect(copy.label).toBe('ห้องบัตร (สำเนา)');
  expect([...copy.permissions]).toEqual(['USER.SHOW']);
  expect(copyOf({ ...ROLE, name: 'A'.repeat(40) }, [], th).name).toHaveLength(40);
});

test('sends permissions in the order of the catalogue and a trimmed name', () => {
  const draft = { name: 'WARD', label: ' ห้องบัตร ', permissions: set('ROLE.SHOW', 'USER.SHOW') };
  expect(bodyOf(draft, CATALOGUE)).toEqual({
    name: 'WARD',
    label: 'ห้องบัตร',
    permissions: ['USER.SHOW', 'ROLE.SHOW'],
  });
});

describe('the rules of name and code', () => {
  test.each([
    ['WARD_CLERK', 'ห้องบัตร', undefined, undefined],
    ['W', 'ห้องบัตร', th.role.nameInvalid, undefined],
    ['1WARD', 'ห้องบัตร', th.role.nameInvalid, undefined],
    ['ห้อง', 'ห้องบัตร', th.role.nameInvalid, undefined],
    ['A'.repeat(41), 'ห้องบัตร', th.role.nameInvalid, undefined],
    ['WARD', '  ', undefined, th.role.labelRequired],
    ['WARD', 'ก'.repeat(81), undefined, th.role.labelTooLong],
  ])('%s, %s', (name, label, nameProblem, labelProblem) => {
    expect(problemsOf({ name, label, permissions: set() }, th)).toEqual({
      name: nameProblem,
      label: labelProblem,
    });
  });

  test('formats a typed code', () => expect(asCode('ward-clerk 2')).toBe('WARD_CLERK_2'));
});

describe('two users change one role', () => {
  const before: RoleBody = { name: 'WARD', label: 'ห้องบัตร', permissions: ['USER.SHOW', 'ROLE.SHOW'] };
  const mine: RoleBody = { ...before, label: 'ของฉัน', permissions: ['USER.SHOW', 'USER.CREATE'] };
  const theirs: RoleBody = { name: 'WARD2', label: 'ของเขา', permissions: ['ROLE.SHOW', 'USER.UPDATE'] };

  test('only the names can be changed by both, never a permission', () => {
    expect(bothChanged(roleFields, { before, mine, theirs })).toEqual(['label']);
    expect(bothChanged(roleFields, { before, mine, theirs: { ...theirs, label: before.label } })).toEqual([]);
  });

  test('permissions of both are merged one by one', () => {
    const merged = mergeChanges(roleFields, { before, mine, theirs });
    expect(merged).toMatchObject({ name: 'WARD2', label: 'ของฉัน' });
    expect(merged.permissions.toSorted()).toEqual(['USER.CREATE', 'USER.UPDATE']);
    expect(mergeChanges(roleFields, { before, mine, theirs }, ['label']).label).toBe('ของเขา');
  });
});
