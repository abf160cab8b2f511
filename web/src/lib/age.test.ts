import { describe, expect, it } from 'vitest';
import { ageOn, ageText, formatAge, formatShortAge } from './age';

describe('ageOn', () => {
  it.each([
    ['the day of birth', '2026-11-15', '2026-11-15', [0, 0, 0]],
    ['a day old', '2026-11-14', '2026-11-15', [0, 0, 1]],
    ['the day before a birthday', '1991-11-16', '2026-11-15', [34, 11, 30]],
    ['a birthday', '1991-11-15', '2026-11-15', [35, 0, 0]],
    ['years, months and days', '1991-09-12', '2026-11-15', [35, 2, 3]],
    ['born on the last of a long month', '2026-01-31', '2026-03-01', [0, 1, 1]],
    ['a month that is too short is not over on its last day', '2026-01-31', '2026-02-28', [0, 0, 28]],
    ['born on 29 February: not yet on the 28th', '2024-02-29', '2025-02-28', [0, 11, 30]],
    ['born on 29 February: a year older on 1 March', '2024-02-29', '2025-03-01', [1, 0, 1]],
    ['born on 29 February: in a leap year on the day', '2024-02-29', '2028-02-29', [4, 0, 0]],
  ])('%s', (_, birth, day, [years, months, days]) => {
    expect(ageOn(birth, day)).toEqual({ years, months, days });
  });
  it.each([
    ['2026-11-16', '2026-11-15'],
    ['', '2026-11-15'],
    ['2026-02-30', '2026-11-15'],
  ])('is not known for %j', (birth, day) => {
    expect(ageOn(birth, day)).toBeNull();
  });
});

it.each([
  ['DAY', { years: 35, months: 2, days: 3 }, '35 ปี 2 เดือน 3 วัน', '35 years 2 months 3 days'],
  ['DAY', { years: 0, months: 2, days: 3 }, '2 เดือน 3 วัน', '2 months 3 days'],
  ['DAY', { years: 0, months: 0, days: 3 }, '3 วัน', '3 days'],
  ['DAY', { years: 1, months: 1, days: 1 }, '1 ปี 1 เดือน 1 วัน', '1 year 1 month 1 day'],
  ['MONTH', { years: 35, months: 2, days: 3 }, 'ประมาณ 35 ปี 2 เดือน', 'about 35 years 2 months'],
  ['YEAR', { years: 69, months: 2, days: 3 }, 'ประมาณ 69 ปี', 'about 69 years'],
] as const)('formats an age with precision %s', (precision, age, thai, english) => {
  expect(ageText(age, precision, 'th')).toBe(thai);
  expect(ageText(age, precision, 'en')).toBe(english);
});

it.each([
  ['1991-09-12', 'DAY', '35 ปี 2 เดือน 3 วัน', '35 ปี'],
  ['2019-12-15', 'DAY', '6 ปี 11 เดือน 0 วัน', '6 ปี 11 เดือน'],
  ['2019-11-15', 'DAY', '7 ปี 0 เดือน 0 วัน', '7 ปี'],
  ['2024-11-01', 'DAY', '2 ปี 0 เดือน 14 วัน', '2 ปี'],
  ['2024-08-01', 'MONTH', 'ประมาณ 2 ปี 3 เดือน', 'ประมาณ 2 ปี 3 เดือน'],
  ['2026-09-12', 'DAY', '2 เดือน 3 วัน', '2 เดือน'],
  ['2026-11-12', 'DAY', '3 วัน', '3 วัน'],
  ['1957-01-01', 'YEAR', 'ประมาณ 69 ปี', 'ประมาณ 69 ปี'],
  ['1957-01-01', 'MONTH', 'ประมาณ 69 ปี 10 เดือน', 'ประมาณ 69 ปี'],
  ['', 'DAY', '', ''],
] as const)('formats the age for birth date %j with precision %s', (birth, precision, long, short) => {
  expect(formatAge(birth, precision, 'th', '2026-11-15')).toBe(long);
  expect(formatShortAge(birth, precision, 'th', '2026-11-15')).toBe(short);
});

it('is short in lists', () => {
  expect(formatShortAge('2022-01-15', 'DAY', 'en', '2026-11-15')).toBe('4 y 10 mo');
  expect(formatShortAge('1990-01-15', 'DAY', 'en', '2026-11-15')).toBe('36 years');
  expect(formatShortAge('2022-01-15', 'DAY', 'th', '2026-11-15')).toBe('4 ปี 10 เดือน');
});
