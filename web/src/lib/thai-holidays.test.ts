import { describe, expect, test } from 'vitest';
import { buddhistDays, thaiHolidays } from './thai-holidays';

/** As announced or in printed calendars. */
describe('days of the lunar calendar', () => {
  test.each([
    [2024, '2024-02-24', '2024-05-22', '2024-07-20'],
    [2025, '2025-02-12', '2025-05-11', '2025-07-10'],
    [2026, '2026-03-03', '2026-05-31', '2026-07-29'],
    [2027, '2027-02-21', '2027-05-20', '2027-07-18'],
    [2028, '2028-02-10', '2028-05-08', '2028-07-06'],
  ])('%i', (year, makha, visakha, asalha) => {
    expect(buddhistDays(year)).toEqual({ makha, visakha, asalha });
  });

  test('are within two days of the full moon in all proposed years', () => {
    // A calendar of mean new moons: full moon of 21 January 2000, 04:40 UTC, and the mean month.
    const [known, month] = [Date.UTC(2000, 0, 21, 4, 40), 29.530588853 * 86_400_000];
    for (let year = 2024; year <= 2039; year++) {
      for (const date of Object.values(buddhistDays(year) ?? {})) {
        const phase = ((Date.parse(`${date}T12:00:00+07:00`) - known) / month) % 1;
        expect(Math.min(phase, 1 - phase) * 29.53, date).toBeLessThan(2);
      }
    }
  });

  test.each([2023, 2040])('are not proposed for %i', (year) => {
    expect(buddhistDays(year)).toBeNull();
    expect(thaiHolidays(year).find(({ key }) => key === 'makha')?.date).toBeNull();
  });
});

const dated = (year: number, part: string) =>
  thaiHolidays(year).flatMap(({ key, date }) => (key.includes(part) ? [`${key} ${date}`] : []));

test('has the fixed days every year, sorted and unique', () => {
  const dates = thaiHolidays(2026).flatMap(({ date }) => date ?? []);
  expect(dates).toEqual([...new Set(dates)].sort());
  for (const day of ['01-01', '04-06', '04-13', '04-14', '04-15', '05-01', '05-04', '06-03', '07-28']) {
    expect(dates).toContain(`2026-${day}`);
  }
  for (const day of ['08-12', '10-13', '10-23', '12-05', '12-10', '12-31'])
    expect(dates).toContain(`2026-${day}`);
});

test('Buddhist Lent begins the day after Asalha Bucha', () => {
  expect(dated(2026, 'khao-phansa')).toEqual(['khao-phansa 2026-07-30']);
});

describe('a substitute day', () => {
  test('is the next working day', () => {
    expect(dated(2026, 'substitute')).toEqual([
      'visakha-substitute 2026-06-01',
      'father-substitute 2026-12-07',
    ]);
  });

  test('skips other holidays', () => {
    // Sunday 18 July is Asalha Bucha, Monday is the first day of Lent.
    expect(dated(2027, 'asalha-substitute')).toEqual(['asalha-substitute 2027-07-20']);
  });

  test('is one for two holidays on one weekend, after all days of the festival', () => {
    // Songkran 2024: Saturday, Sunday, Monday.
    expect(dated(2024, 'songkran-1-substitute')).toEqual(['songkran-1-substitute 2024-04-16']);
    expect(dated(2024, 'songkran-2-substitute')).toEqual([]);
  });

  test('is not given for Labour Day', () => {
    // 1 May 2027 is a Saturday.
    expect(dated(2027, 'labour')).toEqual(['labour 2027-05-01']);
  });
});

test('marks dates that move or are uncertain', () => {
  const marked = (key: string) => thaiHolidays(2026).find((holiday) => holiday.key === key);
  expect(marked('makha')).toMatchObject({ moving: true, optional: false });
  expect(marked('chakri')).toMatchObject({ moving: false, optional: false });
  expect(marked('labour')).toMatchObject({ moving: false, optional: true });
  expect(marked('ploughing')).toMatchObject({ date: null, optional: true });
});
