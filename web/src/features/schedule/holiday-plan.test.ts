import { describe, expect, test } from 'vitest';
import { thaiHolidays } from '@/lib/thai-holidays';
import type { Closure } from './api';
import { isThere, planOf, toAdd } from './holiday-plan';

const closure = (dateFrom: string, more: Partial<Closure> = {}): Closure => ({
  id: 1,
  createdAt: '',
  createdBy: null,
  dateFrom,
  dateTo: dateFrom,
  reason: 'วันหยุด',
  kind: 'HOLIDAY',
  ...more,
});

describe('a day is there already', () => {
  test.each([
    ['closed that day', closure('2026-04-13'), true],
    ['within a longer closure', closure('2026-04-10', { dateTo: '2026-04-15' }), true],
    ['closed for another reason', closure('2026-04-13', { kind: 'CLOSED' }), true],
    ['closed for one service only', closure('2026-04-13', { serviceIds: [3] }), false],
    ['closed for the morning only', closure('2026-04-13', { startTime: '08:00', endTime: '12:00' }), false],
    ['closed another day', closure('2026-04-14'), false],
  ])('%s', (_, existing, there) => {
    expect(isThere('2026-04-13', [existing])).toBe(there);
  });
});

describe('what is added', () => {
  const plan = planOf(thaiHolidays(2026));

  test('leaves out Labour Day, which a hospital may not keep, and what has no date', () => {
    const keys = toAdd(plan, 2026, []).map(({ key }) => key);
    expect(keys).toContain('chakri');
    expect(keys).toContain('father-substitute');
    expect(keys).not.toContain('labour');
    expect(keys).not.toContain('ploughing');
  });

  test('is nothing the second time', () => {
    const added = toAdd(plan, 2026, []).map(({ date }) => closure(date));
    expect(added.length).toBeGreaterThan(15);
    expect(toAdd(plan, 2026, added)).toEqual([]);
  });

  test('has each date once, and none of another year', () => {
    const moved = plan.map((holiday) =>
      holiday.key === 'makha'
        ? { ...holiday, date: '2026-01-01' }
        : holiday.key === 'chakri'
          ? { ...holiday, date: '2027-04-06' }
          : holiday,
    );
    const dates = toAdd(moved, 2026, []).map(({ date }) => date);
    expect(dates.filter((date) => date === '2026-01-01')).toHaveLength(1);
    expect(dates).not.toContain('2027-04-06');
  });
});
