import { arabicDigits } from './thai-text';

/**
 * onlyMatch is what Enter may act on before anybody has read the results: the only one, or among several the only one whose
 * number is exactly what was typed. Otherwise none: somebody has to choose.
 */
export function onlyMatch<Found>(
  found: readonly Found[],
  typed: string,
  numberOf: (one: Found) => string,
): Found | undefined {
  const number = plain(typed);
  const [one, another] =
    found.length > 1 ? found.filter((each) => number !== '' && plain(numberOf(each)) === number) : found;
  return another ? undefined : one;
}

/** A number as people leave it out: without zeros in front, dashes and spaces. */
const plain = (number: string) =>
  arabicDigits(number)
    .replace(/[\s\-/]/g, '')
    .replace(/^0+/, '')
    .toUpperCase();
