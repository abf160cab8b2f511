import { expect, test } from 'vitest';
import { formatNumber, formatPercent, formatRate } from './number';

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

test('a load has whole percent, a rate one decimal', () => {
  expect([0, 9.4, 66.6, 100, 1250].map(formatPercent)).toEqual(['0%', '9%', '67%', '100%', '1,250%']);
  expect([0, 9, 9.84, 9.96].map(formatRate)).toEqual(['0.0%', '9.0%', '9.8%', '10.0%']);
});
