import { z } from 'zod';
import type { Messages } from '@/i18n/th';

const MIN_PASSWORD = 10;
const MAX_PASSWORD = 200;

/** As the server counts: Thai letters and marks are one each. */
const lengthOf = (text: string) => [...text].length;

/** The form in which usernames are compared: without invisible characters, composed, in lower case. */
export function nameKey(text: string): string {
  return text
    .replace(/\p{Cf}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .trim();
}

/** The server's rules for accounts and their words, to tell a mistake before it is sent. The server has the last word. */
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

/** Why a password may not be used by that person, or null. Only the server knows which ones are too common. */
export function passwordFault(t: Messages, password: string, username: string): string | null {
  const length = lengthOf(password);
  if (length < MIN_PASSWORD) return t.password.tooShort;
  if (length > MAX_PASSWORD) return t.account.rule.passwordTooLong(MAX_PASSWORD);
  if (username !== '' && nameKey(password) === nameKey(username)) return t.password.isUsername;
  return null;
}
