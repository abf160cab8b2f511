import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { anAppointment } from '@/test/appointments';
import type { DaySlots, Slot, SlotState } from './api';
import {
  besides,
  dayIsOver,
  dayNote,
  freeIn,
  isOpen,
  overbookLeft,
  slotNote,
  soonest,
  stripFrom,
} from './slots';

const slot = (startTime: string, fields: Partial<Slot> = {}): Slot => ({
  startTime,
  endTime: `${startTime.slice(0, 2)}:59`,
  capacity: 2,
  booked: 0,
  available: 2,
  state: 'FREE',
  overridden: false,
  past: false,
  closed: false,
  waitlisted: 0,
  ...fields,
});
const day = (date: string, slots: Slot[], fields: Partial<DaySlots> = {}): DaySlots => ({
  date,
  closed: false,
  reason: '',
  slots,
  ...fields,
});

const TODAY = '2026-11-15';
/** A slot that cannot be booked according to its state. */
const not = (startTime: string, state: SlotState, fields: Partial<Slot> = {}) =>
  slot(startTime, { state, available: 0, ...fields });

describe('a slot', () => {
  test.each<[SlotState, string, boolean]>([
    ['FREE', 'ว่าง 2', true],
    ['FULL', 'เต็ม', true],
    ['TOO_SOON', 'ต้องจองล่วงหน้า', false],
    ['TOO_LATE', 'เกินช่วงที่เปิดจอง', false],
    ['PAST', 'ผ่านไปแล้ว', false],
    ['CLOSED', 'งดให้บริการ', false],
  ])('that is %s shows “%s”, whatever its other fields are', (state, note, open) => {
    for (const one of [
      slot('11:00', { state }),
      slot('11:00', { state, past: true, closed: true, booked: 9 }),
    ]) {
      expect(slotNote(th, one)).toBe(note);
      expect(isOpen(one)).toBe(open);
    }
  });

  test('that is full shows the number of waiting patients', () => {
    expect(slotNote(th, not('11:00', 'FULL', { waitlisted: 4 }))).toBe('เต็ม · รอ 4');
  });

  test('has a limit for overbooking', () => {
    expect(overbookLeft(slot('11:00', { booked: 2 }), 2)).toBe(2);
    expect(overbookLeft(slot('11:00', { booked: 5 }), 2)).toBe(0);
  });
});

describe('a day', () => {
  test('shows its number of free seats', () => {
    const one = day(TODAY, [not('10:00', 'TOO_SOON'), slot('11:00', { available: 1 }), slot('12:00')]);
    expect(freeIn(one)).toBe(3);
    expect(dayNote(th, one)).toBe('ว่าง 3');
  });

  test.each<[string, DaySlots, string, boolean]>([
    ['is named when closed', day(TODAY, [], { closed: true, reason: 'วันพ่อ' }), 'งด: วันพ่อ', true],
    ['without slots is not open', day(TODAY, []), 'ไม่เปิด', true],
    ['without seats is full, and has a waiting list', day(TODAY, [not('11:00', 'FULL')]), 'เต็ม', false],
    ['that is over is past', day(TODAY, [not('09:00', 'PAST')]), 'ผ่านไปแล้ว', true],
    [
      'whose remaining slots are too soon says so',
      day(TODAY, [not('09:00', 'PAST'), not('11:00', 'TOO_SOON')]),
      'ต้องจองล่วงหน้า',
      true,
    ],
    ['beyond the window says so', day(TODAY, [not('09:00', 'TOO_LATE')]), 'เกินช่วงที่เปิดจอง', true],
    [
      'of a service that takes no bookings is closed',
      day(TODAY, [not('09:00', 'CLOSED')]),
      'งดให้บริการ',
      true,
    ],
  ])('%s', (_, one, note, over) => {
    expect(dayNote(th, one)).toBe(note);
    expect(dayIsOver(one)).toBe(over);
  });
});

test('the soonest seat is the first that can be taken', () => {
  const days = [
    day(TODAY, [not('10:00', 'PAST'), not('11:00', 'TOO_SOON')]),
    day('2026-11-16', [], { closed: true }),
    day('2026-11-17', [not('08:00', 'FULL'), slot('09:00')]),
  ];
  expect(soonest(days)).toEqual({ date: '2026-11-17', startTime: '09:00' });
  expect(soonest(days.slice(0, 2))).toBeNull();
});

test('the strip starts today while it contains the date', () => {
  expect(stripFrom(null, TODAY)).toBe(TODAY);
  expect(stripFrom('2026-11-28', TODAY)).toBe(TODAY);
  expect(stripFrom('2026-11-29', TODAY)).toBe('2026-11-29');
});

test('other appointments overlap, are on the same day, or neither; waiting and cancelled ones do not count', () => {
  const at = (startTime: string, endTime: string, status: 'BOOKED' | 'CANCELLED' | 'WAITLISTED' = 'BOOKED') =>
    anAppointment({ date: TODAY, startTime, endTime, status, holdsSeat: status === 'BOOKED' });
  const [before, during, gone] = [
    at('08:00', '09:00'),
    at('09:15', '09:45'),
    at('09:00', '10:00', 'CANCELLED'),
  ];
  const others = [
    before,
    during,
    gone,
    at('09:00', '10:00', 'WAITLISTED'),
    anAppointment({ date: '2026-11-20' }),
  ];
  const found = besides(others, { date: TODAY, startTime: '09:00', endTime: '09:30' });
  expect(found).toEqual({ overlapping: [during], sameDay: [before] });
});
