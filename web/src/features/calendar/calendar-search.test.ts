import { describe, expect, it } from 'vitest';
import { calendarAsk, calendarSearch, datesOf, SHOWN, titleOf, turned } from './calendar-search';

const ask = (address: object, names = true) => {
  const search = calendarSearch.parse(address);
  return calendarAsk(search, search.date ?? '2026-11-15', names);
};

describe('the days of a view', () => {
  it('are whole weeks of a month, from Sunday to Saturday', () => {
    const november = datesOf('month', '2026-11-15');
    expect(november).toHaveLength(35);
    expect([november[0], november.at(-1)]).toEqual(['2026-11-01', '2026-12-05']);
    const january = datesOf('month', '2027-01-31');
    expect([january[0], january.at(-1), january.length]).toEqual(['2026-12-27', '2027-02-06', 42]);
  });

  it('are one week, or the day itself', () => {
    expect(datesOf('week', '2026-11-18')).toEqual(
      [15, 16, 17, 18, 19, 20, 21].map((day) => `2026-11-${day}`),
    );
    expect(datesOf('day', '2026-11-18')).toEqual(['2026-11-18']);
  });

  it('turn a month from its first day, so that no short month is skipped', () => {
    expect(turned('month', '2027-01-31', 1)).toBe('2027-02-01');
    expect(turned('month', '2027-01-31', -1)).toBe('2026-12-01');
    expect(turned('week', '2026-11-28', 1)).toBe('2026-12-05');
    expect(turned('day', '2026-12-31', 1)).toBe('2027-01-01');
  });

  it('are named in the Buddhist Era', () => {
    expect(titleOf('month', '2026-11-15', 'th')).toBe('พฤศจิกายน 2569');
    expect(titleOf('week', '2026-11-18', 'th')).toBe('15–21 พ.ย. 2569');
    expect(titleOf('day', '2026-11-16', 'th')).toBe('วันจันทร์ที่ 16 พฤศจิกายน 2569');
    expect(titleOf('month', '2026-11-15', 'en')).toBe('November 2026');
  });
});

describe('what the server is asked', () => {
  it('is counts alone for a month', () => {
    expect(ask({ date: '2026-11-15', service: 3, staff: 9 })).toEqual({
      dateFrom: '2026-11-01',
      dateTo: '2026-12-05',
      serviceIds: [3],
      statuses: undefined,
    });
  });

  it('is who comes, without the cancelled, for a week and a day', () => {
    const day = ask({ view: 'day', date: '2026-11-16', staff: 9 });
    expect(day).toMatchObject({
      dateFrom: '2026-11-16',
      dateTo: '2026-11-16',
      staffId: 9,
      includeAppointments: true,
    });
    expect(day.statuses).toEqual(SHOWN);
    expect(SHOWN).not.toContain('CANCELLED');
    expect(ask({ view: 'week', status: 'CANCELLED' }).statuses).toEqual(['CANCELLED']);
  });

  it('is the load of the slots without appointments for a user who may not see names', () => {
    expect(ask({ view: 'day', date: '2026-11-16', staff: 9, status: 'BOOKED', service: 2 }, false)).toEqual({
      dateFrom: '2026-11-16',
      dateTo: '2026-11-16',
      serviceIds: [2],
      includeSlots: true,
    });
    expect(ask({ status: 'BOOKED' }, false)).toEqual(ask({ status: 'BOOKED' }));
  });

  it('forgives an address that makes no sense', () => {
    expect(calendarSearch.parse({ view: 'year', date: '2026-02-31', service: 'x', status: 'GONE' })).toEqual({
      view: 'month',
    });
  });
});
