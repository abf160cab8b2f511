import { expect, test } from 'vitest';
import { chosenPeriod, fiscalYear, isCustom, type Preset, presetPeriod } from './period';

test.each([
  ['2026-09-30', 2026],
  ['2026-10-01', 2027],
  ['2026-10-31', 2027],
  ['2026-12-31', 2027],
  ['2027-01-01', 2027],
  ['2027-09-30', 2027],
])('%s is in the fiscal year that ends in %i', (day, year) => {
  expect(fiscalYear(day)).toBe(year);
});

test.each([
  ['thisMonth', '2026-11-15', '2026-11-01', '2026-11-30'],
  ['thisMonth', '2028-02-29', '2028-02-01', '2028-02-29'],
  ['lastMonth', '2026-11-15', '2026-10-01', '2026-10-31'],
  ['lastMonth', '2027-03-31', '2027-02-01', '2027-02-28'],
  ['lastMonth', '2027-01-01', '2026-12-01', '2026-12-31'],
  ['fiscalYear', '2026-11-15', '2026-10-01', '2027-09-30'],
  ['fiscalYear', '2026-09-30', '2025-10-01', '2026-09-30'],
  ['lastFiscalYear', '2026-11-15', '2025-10-01', '2026-09-30'],
  ['lastFiscalYear', '2026-09-30', '2024-10-01', '2025-09-30'],
  ['calendarYear', '2026-11-15', '2026-01-01', '2026-12-31'],
  ['last12Months', '2026-11-15', '2025-11-16', '2026-11-15'],
  ['last12Months', '2028-02-29', '2027-03-01', '2028-02-29'],
] satisfies [Preset, string, string, string][])('%s on %s is %s to %s', (preset, today, dateFrom, dateTo) => {
  expect(presetPeriod(preset, today)).toEqual({ dateFrom, dateTo });
});

test('two dates in the address are a custom period', () => {
  const chosen = { period: 'thisMonth', from: '2026-01-05', to: '2026-01-09' } as const;
  expect(chosenPeriod(chosen, '2026-11-15')).toEqual({ dateFrom: '2026-01-05', dateTo: '2026-01-09' });
  expect(isCustom(chosen)).toBe(true);
});

test.each([
  { period: 'lastMonth', from: '2026-01-05' },
  { period: 'lastMonth', to: '2026-01-05' },
  { period: 'lastMonth', from: '2026-02-05', to: '2026-01-05' },
] as const)('ignores an incomplete or reversed period: %j', (chosen) => {
  expect(chosenPeriod(chosen, '2026-11-15')).toEqual({ dateFrom: '2026-10-01', dateTo: '2026-10-31' });
  expect(isCustom(chosen)).toBe(false);
});
