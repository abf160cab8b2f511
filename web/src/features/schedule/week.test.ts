import { describe, expect, test } from 'vitest';
import type { DaySlots, Slot } from '@/entities/appointment/api';
import type { Service } from '@/entities/service/api';
import type { Closure } from './api';
import {
  capacityCalls,
  cellsIn,
  closureOf,
  isIn,
  loadOf,
  restoreCalls,
  type Selection,
  weekGrid,
  weeklySlots,
  weekOf,
} from './week';

const slot = (startTime: string, more: Partial<Slot> = {}): Slot => ({
  startTime,
  endTime: `${startTime.slice(0, 3)}59`,
  capacity: 10,
  booked: 0,
  available: 10,
  state: 'FREE',
  overridden: false,
  past: false,
  closed: false,
  waitlisted: 0,
  ...more,
});
const day = (date: string, slots: Slot[], more: Partial<DaySlots> = {}): DaySlots => ({
  date,
  slots,
  closed: false,
  reason: '',
  ...more,
});
const row = (weekday: number, startTime: string, endTime: string, more = {}) => ({
  weekday,
  startTime,
  endTime,
  slotMinutes: 60,
  capacity: 10,
  ...more,
});
const service = (...schedule: Service['schedule']) => ({ id: 7, schedule }) as unknown as Service;
const closure = (more: Partial<Closure>): Closure => ({
  id: 1,
  createdAt: '',
  createdBy: null,
  dateFrom: '2026-11-16',
  dateTo: '2026-11-16',
  reason: 'ประชุม',
  ...more,
});

test('a week begins on Sunday', () => {
  expect(weekOf('2026-11-18').at(0)).toBe('2026-11-15');
  expect(weekOf('2026-11-15').at(6)).toBe('2026-11-21');
});

describe('the slots of the weekly hours', () => {
  const monday = '2026-11-16';
  test.each([
    [
      'two rows with a lunch break',
      [row(1, '09:00', '11:00'), row(1, '13:00', '14:00')],
      '09:00 10:00 13:00',
    ],
    ['a last slot that is shorter', [row(1, '09:00', '10:30')], '09:00 10:00'],
    ['another weekday', [row(2, '09:00', '11:00')], ''],
    ['not yet valid', [row(1, '09:00', '11:00', { validFrom: '2026-11-17' })], ''],
    ['no longer valid', [row(1, '09:00', '11:00', { validTo: '2026-11-15' })], ''],
    ['valid on this very day', [row(1, '09:00', '10:00', { validFrom: monday, validTo: monday })], '09:00'],
  ])('%s', (_, rows, starts) => {
    const slots = weeklySlots(service(...rows), monday);
    expect(slots.map(({ startTime }) => startTime).join(' ')).toBe(starts);
  });

  test('end with the row', () => {
    expect(weeklySlots(service(row(1, '09:00', '10:30')), monday).at(-1)?.endTime).toBe('10:30');
  });
});

test.each([
  ['free', { booked: 7 }],
  ['busy', { booked: 8 }],
  ['full', { booked: 10 }],
  ['over', { booked: 11 }],
  ['full', { capacity: 0 }],
  ['closed', { closed: true, booked: 2 }],
  ['past', { past: true, booked: 10 }],
])('a slot is %s', (load, more) => {
  expect(loadOf(slot('09:00', more))).toBe(load);
});

describe('the grid', () => {
  const hours = service(row(1, '09:00', '11:00'), row(2, '09:00', '10:00'));

  test('has the times of all days, and no slot where a day has none', () => {
    const week = weekGrid(
      hours,
      [day('2026-11-16', [slot('09:00'), slot('10:00')]), day('2026-11-17', [slot('09:00')])],
      [],
    );
    expect(week.times).toEqual(['09:00', '10:00']);
    expect(week.days[1]?.cells.map(({ load }) => load)).toEqual(['free', 'none']);
  });

  test('shows closed slots that the server leaves out, with the reason', () => {
    const half = closure({ startTime: '10:00', endTime: '12:00' });
    const week = weekGrid(hours, [day('2026-11-16', [slot('09:00')], { reason: 'ประชุม' })], [half]);
    expect(week.days[0]?.cells).toMatchObject([
      { load: 'free', reason: '' },
      { load: 'closed', reason: 'ประชุม', slot: null, endTime: '11:00' },
    ]);
  });

  test('takes the reason from the closure of this service', () => {
    const other = closure({ serviceIds: [8], reason: 'ของบริการอื่น' });
    const week = weekGrid(hours, [day('2026-11-16', [], { closed: true, reason: 'ปีใหม่' })], [other]);
    expect(week.days[0]?.cells[0]).toMatchObject({ load: 'closed', reason: 'ปีใหม่' });
  });
});

describe('a selection', () => {
  const size = { rows: 3, cols: 7 };
  const from = (row: number, col: number, toRow = row, toCol = col): Selection => ({
    anchor: { row, col },
    focus: { row: toRow, col: toCol },
  });

  test('is the rectangle between its ends, in whatever direction', () => {
    expect(isIn(from(2, 5, 1, 3), { row: 1, col: 4 }, size)).toBe(true);
    expect(isIn(from(2, 5, 1, 3), { row: 0, col: 4 }, size)).toBe(false);
  });

  test('is a whole column from its day, and a whole row from its time', () => {
    expect(isIn(from(-1, 2), { row: 2, col: 2 }, size)).toBe(true);
    expect(isIn(from(-1, 2), { row: 2, col: 3 }, size)).toBe(false);
    expect(isIn(from(1, -1), { row: 1, col: 6 }, size)).toBe(true);
    expect(isIn(from(1, -1), { row: 2, col: 6 }, size)).toBe(false);
  });

  const week = weekGrid(
    service(row(1, '09:00', '11:00'), row(2, '09:00', '10:00')),
    [day('2026-11-16', [slot('09:00'), slot('10:00')]), day('2026-11-17', [slot('09:00')])],
    [],
  );
  test('holds only what is a slot', () => {
    const all = cellsIn(week, from(0, 0, 1, 1));
    expect(all.map(({ date, startTime }) => `${date.slice(8)} ${startTime}`)).toEqual([
      '16 09:00',
      '16 10:00',
      '17 09:00',
    ]);
  });

  test('closes its time, and the whole day when the column is chosen', () => {
    expect(closureOf(week, from(0, 0, 0, 1))).toEqual({
      dateFrom: '2026-11-16',
      dateTo: '2026-11-17',
      startTime: '09:00',
      endTime: '09:59',
    });
    expect(closureOf(week, from(-1, 1))).toEqual({ dateFrom: '2026-11-17', dateTo: '2026-11-17' });
  });
});

describe('setting the capacity of many', () => {
  const starts = ['09:00', '10:00'];
  const slotsOf = (date: string) => (date === '2026-11-18' ? ['09:00'] : starts);
  const places = (dates: string[], times: string[]) =>
    dates.flatMap((date) => times.map((startTime) => ({ date: `2026-11-${date}`, startTime })));

  test('is one call for whole days in a row', () => {
    expect(capacityCalls(7, places(['16', '17'], starts), 5, slotsOf)).toEqual([
      { serviceId: 7, dateFrom: '2026-11-16', dateTo: '2026-11-17', capacity: 5 },
    ]);
  });

  test('is one call for each time on days in a row', () => {
    expect(capacityCalls(7, places(['16', '17', '19'], ['10:00']), 5, slotsOf)).toEqual([
      { serviceId: 7, dateFrom: '2026-11-16', dateTo: '2026-11-17', startTime: '10:00', capacity: 5 },
      { serviceId: 7, dateFrom: '2026-11-19', dateTo: '2026-11-19', startTime: '10:00', capacity: 5 },
    ]);
  });

  test('of a day with one slot names it, so that a slot added meanwhile is left alone', () => {
    expect(capacityCalls(7, places(['18'], ['09:00']), null, slotsOf)).toEqual([
      { serviceId: 7, dateFrom: '2026-11-18', dateTo: '2026-11-18', startTime: '09:00', capacity: null },
    ]);
  });

  test('undoes to each previous number, or to the weekly hours', () => {
    const previous = [
      { date: '2026-11-16', startTime: '09:00', capacity: 3 },
      { date: '2026-11-16', startTime: '10:00', capacity: null },
    ];
    expect(restoreCalls(7, previous, slotsOf)).toEqual([
      {
        serviceId: 7,
        dateFrom: '2026-11-16',
        dateTo: '2026-11-16',
        startTime: '09:00',
        capacity: 3,
        force: true,
      },
      {
        serviceId: 7,
        dateFrom: '2026-11-16',
        dateTo: '2026-11-16',
        startTime: '10:00',
        capacity: null,
        force: true,
      },
    ]);
  });
});
