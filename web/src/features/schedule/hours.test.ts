import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import type { ScheduleRow } from './api';
import {
  copyTo,
  dayTexts,
  faultsOf,
  type HoursRow,
  hoursChanges,
  overlap,
  rowsOf,
  scheduleOf,
  weekdayFields,
  yieldOf,
} from './hours';

const row = (more: Partial<HoursRow> = {}): HoursRow => ({
  key: JSON.stringify(more),
  weekday: 1,
  startTime: '09:00',
  endTime: '12:00',
  slotMinutes: 30,
  capacity: 4,
  validFrom: null,
  validTo: null,
  ...more,
});

describe('two rows overlap', () => {
  test.each([
    ['at the same time', {}, true],
    ['in a part', { startTime: '11:30', endTime: '13:00' }, true],
    ['not when one ends as the other begins', { startTime: '12:00', endTime: '13:00' }, false],
    ['not on another weekday', { weekday: 2 }, false],
    ['as long as both are valid', { validFrom: '2027-01-01' }, true],
    ['not while a time cannot be read', { startTime: 'เก้า' }, false],
    ['as times, however they are typed', { startTime: '9', endTime: '9.30' }, true],
  ])('%s', (_, more, overlaps) => {
    expect(overlap(row(), row(more))).toBe(overlaps);
  });

  test('not when one begins to count after the other has ended', () => {
    expect(overlap(row({ validTo: '2026-12-31' }), row({ validFrom: '2027-01-01' }))).toBe(false);
    expect(overlap(row({ validTo: '2027-01-01' }), row({ validFrom: '2027-01-01' }))).toBe(true);
  });
});

describe('what is wrong', () => {
  const faults = (more: Partial<HoursRow>) =>
    Object.keys(faultsOf(th, 'th', [row(more)]).get(row(more).key) ?? {});
  test.each([
    ['nothing', {}, []],
    ['no start', { startTime: '' }, ['startTime']],
    ['an end before the start', { endTime: '08:00' }, ['endTime']],
    ['slots of four minutes', { slotMinutes: 4 }, ['slotMinutes']],
    ['no capacity', { capacity: '' }, ['capacity']],
    ['nobody taken', { capacity: 0 }, ['capacity']],
    ['an end of validity before its start', { validFrom: '2027-01-02', validTo: '2027-01-01' }, ['validTo']],
    ['until midnight is fine', { endTime: '24:00' }, []],
  ])('%s', (_, more, fields) => {
    expect(faults(more)).toEqual(fields);
  });

  test('both rows that overlap say which the other is', () => {
    const rows = [row({ key: 'a' }), row({ key: 'b', startTime: '11:00' })];
    const found = faultsOf(th, 'th', rows);
    expect(found.get('a')?.startTime).toBe('เวลาซ้อนกับจันทร์ ช่วงที่ 2');
    expect(found.get('b')?.startTime).toBe('เวลาซ้อนกับจันทร์ ช่วงที่ 1');
  });
});

test('a row is copied to the days that do not have it', () => {
  const rows = [row({ key: 'a' }), row({ key: 'b', weekday: 3 })];
  expect(copyTo(rows, row({ key: 'a' }), [1, 2, 3, 4, 5]).map(({ weekday }) => weekday)).toEqual([
    1, 3, 2, 4, 5,
  ]);
});

test('slots and seats of a row; the last slot may be shorter', () => {
  expect(yieldOf(row())).toEqual({ slots: 6, seats: 24 });
  expect(yieldOf(row({ endTime: '10:15' }))).toEqual({ slots: 3, seats: 12 });
  expect(yieldOf(row({ endTime: '' }))).toBeNull();
});

const saved = (more: Partial<ScheduleRow> = {}): ScheduleRow => ({
  weekday: 1,
  startTime: '09:00',
  endTime: '12:00',
  slotMinutes: 30,
  capacity: 4,
  ...more,
});

test('what is sent is what was read', () => {
  const schedule = [saved(), saved({ weekday: 2, validFrom: '2027-01-01' })];
  expect(scheduleOf(rowsOf(schedule))).toEqual(schedule);
});

test('lists changes by weekday, Monday first', () => {
  const changes = hoursChanges(th, 'th', [saved(), saved({ weekday: 0 })], [saved({ capacity: 5 })]);
  expect(changes).toEqual([
    {
      key: '1',
      label: 'จันทร์',
      kind: 'list',
      added: ['09:00–12:00 ช่วงละ 30 นาที รับ 5 คน'],
      removed: ['09:00–12:00 ช่วงละ 30 นาที รับ 4 คน'],
    },
    { key: '0', label: 'อาทิตย์', kind: 'list', added: [], removed: ['09:00–12:00 ช่วงละ 30 นาที รับ 4 คน'] },
  ]);
});

test('days of two people are put together', () => {
  const mine = [saved({ capacity: 9 }), saved({ weekday: 2 })];
  const theirs = [saved(), saved({ weekday: 2, capacity: 8 })];
  const merged = weekdayFields(th, 'th').take(theirs, mine, ['1']);
  expect(merged).toEqual([saved({ capacity: 9 }), saved({ weekday: 2, capacity: 8 })]);
  expect(dayTexts(th, 'th', merged)['3']).toBe('');
});
