import { arabicDigits, digitsOf } from './thai-text';

/** Removes dashes and spaces and converts Thai digits. Other characters remain, so that validation rejects them. */
export function phoneDigits(typed: string): string {
  const text = arabicDigits(typed).trim();
  return /^[0-9\-. ()]*$/.test(text) ? digitsOf(text) : text;
}

/** Nine or ten digits starting with 0. */
export function isPhone(digits: string): boolean {
  return /^0\d{8,9}$/.test(digits);
}

/** '0812345678' → '081-234-5678', '021234567' → '02-123-4567', '053123456' → '053-123-456'; other text unchanged. */
export function formatPhone(typed: string): string {
  const digits = phoneDigits(typed);
  if (!isPhone(digits)) return typed.trim();
  const area = digits.length === 9 && digits.startsWith('02') ? 2 : 3;
  return `${digits.slice(0, area)}-${digits.slice(area, area + 3)}-${digits.slice(area + 3)}`;
}
