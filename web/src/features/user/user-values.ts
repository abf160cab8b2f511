import { z } from 'zod';
import type { Messages } from '@/i18n/th';
import { accountRules } from '@/lib/account-rules';
import type { NewUser, User, UserChange } from './api';

/** The values of the account form, all texts. */
export interface UserValues extends Record<string, unknown> {
  username: string;
  email: string;
  name: string;
  phone: string;
  position: string;
  licenseNo: string;
  /** '' for none. */
  roleId: string;
}

export const EMPTY_USER: UserValues = {
  username: '',
  email: '',
  name: '',
  phone: '',
  position: '',
  licenseNo: '',
  roleId: '',
};

export function valuesOf(user: User): UserValues {
  const { username, email, name, phone, position, licenseNo, roleId } = user;
  return { username, email, name, phone, position, licenseNo, roleId: roleId ? String(roleId) : '' };
}

/** As the server stores them: trimmed. */
function trimmed(values: UserValues): UserValues {
  const entries = Object.entries(values).map(([field, value]) => [field, String(value).trim()]);
  return { ...EMPTY_USER, ...Object.fromEntries(entries) };
}

export function userSchema(t: Messages, { roleRequired }: { roleRequired: boolean }) {
  return z.object({
    ...accountRules(t),
    roleId: roleRequired ? z.string().min(1, t.account.rule.role) : z.string(),
  });
}

export function newUserOf(values: UserValues): Omit<NewUser, 'password' | 'invite'> {
  const { username, email, name, phone, position, licenseNo, roleId } = trimmed(values);
  return { username, email, name, phone, position, licenseNo, roleId: Number(roleId) };
}

/** Returns the request that changes `base` to `values`: only the changed fields, or null if there are none. */
export function changeOf(base: User, values: UserValues): UserChange | null {
  const before = valuesOf(base);
  const changed = Object.entries(trimmed(values)).filter(([field, value]) => before[field] !== value);
  const { roleId, ...texts }: Partial<UserValues> = Object.fromEntries(changed);
  const fields = { ...texts, ...(roleId && { roleId: Number(roleId) }) };
  return Object.keys(fields).length > 0 ? { id: base.id, version: base.version, ...fields } : null;
}
