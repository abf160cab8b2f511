import { arabicDigits, digitsOf } from './thai-text';

const LENGTH = 13;
const WEIGHTED_DIGITS = 12;
/** The ends of the groups in 1-1111-11111-11-9. */
const GROUP_ENDS = [1, 5, 10, 12];

/**
 * Thirteen digits with a valid check digit. Any first digit is valid: 0, 6, 7 and 8 are in use. Like
 * hospital/id_card.go.
 */
export function isIdCard(digits: string): boolean {
  return /^[0-9]{13}$/.test(digits) && checkDigit(digits) === digits[WEIGHTED_DIGITS];
}

/** The check digit of the first twelve digits. */
export function checkDigit(digits: string): string {
  const sum = [...digits.slice(0, WEIGHTED_DIGITS)].reduce(
    (total, digit, index) => total + Number(digit) * (LENGTH - index),
    0,
  );
  return String((11 - (sum % 11)) % 10);
}

/** '11111' → '1-1111-1': groups the typed digits as on the card. Further digits are cut. */
export function groupIdCard(typed: string): string {
  const digits = digitsOf(typed).slice(0, LENGTH);
  const groups = [0, ...GROUP_ENDS].map((start, index) => digits.slice(start, GROUP_ENDS[index] ?? LENGTH));
  return groups.filter((group) => group !== '').join('-');
}

/** Reports whether the text has only digits, dashes and spaces and can be grouped while it is typed. */
export function isIdCardText(typed: string): boolean {
  return /^[0-9\- ]*$/.test(arabicDigits(typed));
}

/** Reports whether the text is a number masked by the server: '1-1111-xxxxx-11-9'. */
export function isMaskedIdCard(text: string): boolean {
  return /^[\dx]-[\dx]{4}-xxxxx-[\dx]{2}-[\dx]$/.test(text);
}

/** Reports whether the visible digits of a masked number match a grouped one. */
export function fitsMask(masked: string, grouped: string): boolean {
  return (
    isMaskedIdCard(masked) &&
    masked.length === grouped.length &&
    [...masked].every((char, index) => char === 'x' || char === grouped[index])
  );
}
