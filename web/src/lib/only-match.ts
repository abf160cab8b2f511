import { arabicDigits } from './thai-text';

/**
 * onlyMatch returns the result that Enter may act on before the user has seen the results: the only one, or the only
 * one whose number is exactly what was typed. Otherwise undefined, and the user has to choose.
 */
export function onlyMatch<Found>(
  found: readonly Found[],
  typed: string,
  numberOf: (one: Found) => string,
): Found | undefined {
  const number = normalized(typed);
  const [one, another] =
    found.length > 1 ? found.filter((each) => number !== '' && normalized(numberOf(each)) === number) : found;
  return another ? undefined : one;
}

/** Normalizes a number: without leading zeros, dashes, slashes and spaces, in upper case. */
const normalized = (number: string) =>
  arabicDigits(number)
    .replace(/[\s\-/]/g, '')
    .replace(/^0+/, '')
    .toUpperCase();
