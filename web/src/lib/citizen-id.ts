import { arabicDigits, digitsOf } from './thai-text';

const LENGTH = 13;
const WEIGHED = 12;
/** Where the groups of 1-1111-11111-11-9 end. */
const GROUP_ENDS = [1, 5, 10, 12];

/** Thirteen digits whose last one checks the others. The first digit is not judged: 0, 6, 7 and 8 are real registrants. */
export function isCitizenId(digits: string): boolean {
  return /^[0-9]{13}$/.test(digits) && checkDigit(digits) === digits[WEIGHED];
}

/** The thirteenth digit that belongs to the first twelve. */
export function checkDigit(digits: string): string {
  const sum = [...digits.slice(0, WEIGHED)].reduce(
    (total, digit, index) => total + Number(digit) * (LENGTH - index),
    0,
  );
  return String((11 - (sum % 11)) % 10);
}

/** '11111' → '1-1111-1': grouped as on the card, as far as it is typed. More than thirteen digits are cut. */
export function groupCitizenId(typed: string): string {
  const digits = digitsOf(typed).slice(0, LENGTH);
  const groups = [0, ...GROUP_ENDS].map((start, index) => digits.slice(start, GROUP_ENDS[index] ?? LENGTH));
  return groups.filter((group) => group !== '').join('-');
}

/** The typed text with only digits, dashes and spaces in it: it can be grouped while it is typed. */
export function isCitizenIdText(typed: string): boolean {
  return /^[0-9\- ]*$/.test(arabicDigits(typed));
}

/** Whether the text is a number as the server masks it: '1-1111-xxxxx-11-9'. */
export function isMaskedCitizenId(text: string): boolean {
  return /^[\dx]-[\dx]{4}-xxxxx-[\dx]{2}-[\dx]$/.test(text);
}

/** Whether the visible digits of a masked number agree with a grouped one. */
export function fitsMask(masked: string, grouped: string): boolean {
  return (
    isMaskedCitizenId(masked) &&
    masked.length === grouped.length &&
    [...masked].every((char, index) => char === 'x' || char === grouped[index])
  );
}
