import { expect, test } from 'vitest';
import { formatNumber } from './number';

test.each([
  [[0], '0'],
  [[999], '999'],
  [[1000], '1,000'],
  [[1234567], '1,234,567'],
  [[-1234.56], '-1,235'],
  [[12.34, 1], '12.3'],
  [[12, 1], '12'],
  [[12, 1, 1], '12.0'],
] as [Parameters<typeof formatNumber>, string][])('%j is written %s', (value, text) => {
  expect(formatNumber(...value)).toBe(text);
});
