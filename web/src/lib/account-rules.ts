import { z } from 'zod';
import type { Messages } from '@/i18n/th';

const MIN_PASSWORD = 10;
const MAX_PASSWORD = 200;

/** As the server counts: Thai letters and marks count as one each. */
const lengthOf = (text: string) => [...text].length;

/** The normal form of usernames for comparison: composed, in lower case, without invisible characters. */
export function nameKey(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .trim();
}

/** Checks accounts by the server's rules before they are sent. The server checks again. */
export function accountRules(t: Messages) {
  const text = (max: number) =>
    z.string().refine((value) => lengthOf(value) <= max, t.account.rule.tooLong(max));
  return {
    username: z
      .string()
      .refine((value) => /^[\p{L}\p{M}\p{N}._-]{3,64}$/u.test(nameKey(value)), t.account.rule.username),
    email: z
      .string()
      .trim()
      .regex(/^[^\s@<>()",;:]+@[^\s@<>()",;:]+\.[^\s@<>()",;:]+$/, t.account.rule.email)
      .max(254, t.account.rule.email),
    name: text(120).refine((value) => nameKey(value) !== '', t.account.rule.required),
    phone: z
      .string()
      .trim()
      .regex(/^(0\d{8,9})?$/, t.account.rule.phone),
    position: text(120),
    licenseNo: text(40),
  };
}

/** Returns why the user may not use a password, or null. Only the server knows common passwords. */
export function passwordFault(t: Messages, password: string, username: string): string | null {
  const length = lengthOf(password);
  if (length < MIN_PASSWORD) return t.password.tooShort;
  if (length > MAX_PASSWORD) return t.account.rule.passwordTooLong(MAX_PASSWORD);
  if (username !== '' && nameKey(password) === nameKey(username)) return t.password.isUsername;
  return null;
}
