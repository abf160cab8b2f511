import type { PermissionInfo } from '@/entities/role/api';
import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import type { Fields } from '@/lib/three-way';
import type { Permission, Role, RoleBody } from './api';

/** The edited values of a role. */
export interface Draft {
  name: string;
  label: string;
  permissions: ReadonlySet<Permission>;
}

export const EMPTY_DRAFT: Draft = { name: '', label: '', permissions: new Set() };

export function draftOf({ name, label, permissions }: RoleBody): Draft {
  return { name, label, permissions: new Set(permissions) };
}

/** A copy of a role, limited to the permissions that the user may grant. */
export function copyOf(role: Role, held: readonly Permission[], t: Messages): Draft {
  return {
    name: `${role.name}_COPY`.slice(0, 40),
    label: t.role.copyLabel(role.label),
    permissions: new Set(role.permissions.filter((permission) => held.includes(permission))),
  };
}

/** The request, in the order of the catalogue. */
export function bodyOf({ name, label, permissions }: Draft, catalogue: readonly PermissionInfo[]): RoleBody {
  const known = catalogue.map((info) => info.name).filter((permission) => permissions.has(permission));
  return { name: name.trim(), label: label.trim(), permissions: known };
}

export function isSame(a: Draft, b: Draft): boolean {
  const samePermissions =
    a.permissions.size === b.permissions.size && [...a.permissions].every((name) => b.permissions.has(name));
  return samePermissions && a.name === b.name && a.label === b.label;
}

/** The fields of a role that two users may change at once: its names, and each permission separately. */
export const roleFields: Fields<RoleBody> = {
  changed: (before, after) => [
    ...(['label', 'name'] as const).filter((field) => before[field] !== after[field]),
    ...before.permissions.filter((permission) => !after.permissions.includes(permission)),
    ...after.permissions.filter((permission) => !before.permissions.includes(permission)),
  ],
  take: (role, from, fields) => ({
    label: fields.includes('label') ? from.label : role.label,
    name: fields.includes('name') ? from.name : role.name,
    permissions: [...new Set([...role.permissions, ...from.permissions])].filter((permission) =>
      (fields.includes(permission) ? from : role).permissions.includes(permission),
    ),
  }),
};

/** Returns the added and removed permissions in the order of the catalogue. */
export function permissionChanges(
  before: ReadonlySet<Permission>,
  after: ReadonlySet<Permission>,
  catalogue: readonly PermissionInfo[],
): { added: PermissionInfo[]; removed: PermissionInfo[] } {
  return {
    added: catalogue.filter(({ name }) => after.has(name) && !before.has(name)),
    removed: catalogue.filter(({ name }) => before.has(name) && !after.has(name)),
  };
}

export interface PermissionGroup {
  key: string;
  label: string;
  permissions: PermissionInfo[];
}

/** The catalogue by group, filtered by name, code or group. */
export function groupsOf(
  catalogue: readonly PermissionInfo[],
  language: Language,
  search = '',
): PermissionGroup[] {
  const wanted = search.trim().toLowerCase();
  const groups = new Map<string, PermissionGroup>();
  for (const info of catalogue) {
    const texts = [info.name, info.label, info.labelEn, info.groupLabel, info.groupEn];
    if (!texts.some((text) => text.toLowerCase().includes(wanted))) continue;
    const label = language === 'en' ? info.groupEn : info.groupLabel;
    const group = groups.get(info.group) ?? { key: info.group, label, permissions: [] };
    group.permissions.push(info);
    groups.set(info.group, group);
  }
  return [...groups.values()];
}

export function permissionLabel(info: PermissionInfo, language: Language): string {
  return language === 'en' ? info.labelEn : info.label;
}

/** Reports whether all, some or none of a group are selected. */
export function groupState(
  chosen: ReadonlySet<Permission>,
  group: readonly PermissionInfo[],
): 'all' | 'some' | 'none' {
  const count = group.filter(({ name }) => chosen.has(name)).length;
  return count === 0 ? 'none' : count === group.length ? 'all' : 'some';
}

/** Toggles a group: selects all that the user may grant, or none if they are all selected. */
export function toggleGroup(
  chosen: ReadonlySet<Permission>,
  group: readonly PermissionInfo[],
  mayChoose: (permission: Permission) => boolean,
): ReadonlySet<Permission> {
  const choosable = group.map(({ name }) => name).filter(mayChoose);
  const every = choosable.every((name) => chosen.has(name));
  return every
    ? new Set([...chosen].filter((name) => !choosable.includes(name)))
    : new Set([...chosen, ...choosable]);
}

const CODE = /^[A-Z][A-Z0-9_]{1,39}$/;
const MAX_LABEL = 80;

/** The server's rules, checked before saving. */
export function problemsOf(draft: Draft, t: Messages): { name?: string; label?: string } {
  const label = draft.label.trim();
  return {
    name: CODE.test(draft.name) ? undefined : t.role.nameInvalid,
    label:
      label === '' ? t.role.labelRequired : [...label].length > MAX_LABEL ? t.role.labelTooLong : undefined,
  };
}

/** Formats typed text as a code: "ward clerk" → "WARD_CLERK". */
export function asCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]+/g, '_');
}
