import { describe, expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { anAppointment } from '@/test/appointments';
import type { DaySlots, Slot } from './api';
import {
  besides,
  dayIsOver,
  dayNote,
  freeIn,
  overbookLeft,
  seatsLeft,
  slotNote,
  slotRules,
  slotState,
  soonest,
  stripFrom,
} from './slots';

const slot = (startTime: string, fields: Partial<Slot> = {}): Slot => ({
  startTime,
  endTime: `${startTime.slice(0, 2)}:59`,
  capacity: 2,
  booked: 0,
  available: 2,
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

// 10:30 at the hospital.
const now = new Date('2026-11-15T03:30:00Z');
const desk = slotRules(false, 0, now);
const walkIn = slotRules(true, 60, now);
const lead = slotRules(false, 60, now);
const TODAY = '2026-11-15';

describe('a slot', () => {
  test.each<[string, Slot, string]>([
    ['with seats is free', slot('11:00', { booked: 1 }), 'free'],
    ['without seats is full', slot('11:00', { booked: 2 }), 'full'],
    ['with more than its seats is full', slot('11:00', { booked: 3 }), 'full'],
    ['that has begun is past', slot('10:00', { past: true }), 'past'],
    ['that is closed is closed, whatever else it is', slot('10:00', { past: true, closed: true }), 'closed'],
  ])('%s', (_, one, state) => expect(slotState(TODAY, one, desk)).toBe(state));

  test('that runs can be taken by who walks in, one that is over cannot', () => {
    expect(slotState(TODAY, slot('10:00', { past: true }), walkIn)).toBe('free');
    expect(slotState(TODAY, slot('09:00', { past: true }), walkIn)).toBe('past');
    expect(seatsLeft(TODAY, slot('10:00', { past: true, booked: 1 }), walkIn)).toBe(1);
  });

  test('too close is past, but not for who walks in', () => {
    expect(slotState(TODAY, slot('11:00'), lead)).toBe('past');
    expect(slotState(TODAY, slot('11:30'), lead)).toBe('free');
    expect(slotState('2026-11-16', slot('00:10'), lead)).toBe('free');
    expect(slotState(TODAY, slot('11:00'), walkIn)).toBe('free');
  });

  test('says what it offers', () => {
    expect(slotNote(th, TODAY, slot('11:00', { capacity: 3 }), desk)).toBe('ว่าง 3');
    expect(slotNote(th, TODAY, slot('11:00', { booked: 2, waitlisted: 4 }), desk)).toBe('เต็ม · รอ 4');
  });

  test('takes so many beyond its capacity', () => {
    expect(overbookLeft(slot('11:00', { booked: 2 }), 2)).toBe(2);
    expect(overbookLeft(slot('11:00', { booked: 5 }), 2)).toBe(0);
  });
});

describe('a day', () => {
  test('counts its free seats and says so', () => {
    const one = day(TODAY, [slot('10:00', { past: true }), slot('11:00', { booked: 1 }), slot('12:00')]);
    expect(freeIn(one, desk)).toBe(3);
    expect(dayNote(th, one, desk)).toBe('ว่าง 3');
  });

  test.each<[string, DaySlots, string, boolean]>([
    ['is named when closed', day(TODAY, [], { closed: true, reason: 'วันพ่อ' }), 'งด: วันพ่อ', true],
    ['without slots is not open', day(TODAY, []), 'ไม่เปิด', true],
    [
      'without seats is full, and can be waited for',
      day(TODAY, [slot('11:00', { booked: 2 })]),
      'เต็ม',
      false,
    ],
    ['that is over is past', day(TODAY, [slot('09:00', { past: true })]), 'ผ่านไปแล้ว', true],
  ])('%s', (_, one, note, over) => {
    expect(dayNote(th, one, desk)).toBe(note);
    expect(dayIsOver(one, desk)).toBe(over);
  });
});

test('the soonest seat is the first that can be taken', () => {
  const days = [
    day(TODAY, [slot('10:00', { past: true }), slot('11:00', { booked: 2 })]),
    day('2026-11-16', [], { closed: true }),
    day('2026-11-17', [slot('08:00', { booked: 2 }), slot('09:00')]),
  ];
  expect(soonest(days, desk)).toEqual({ date: '2026-11-17', startTime: '09:00' });
  expect(soonest(days.slice(0, 2), desk)).toBeNull();
  expect(soonest(days, walkIn)).toEqual({ date: TODAY, startTime: '10:00' });
});

test('the strip starts today while it holds the date', () => {
  expect(stripFrom(null, TODAY)).toBe(TODAY);
  expect(stripFrom('2026-11-28', TODAY)).toBe(TODAY);
  expect(stripFrom('2026-11-29', TODAY)).toBe('2026-11-29');
});

test('other appointments overlap, stand on the same day, or neither; who waits or was cancelled is in nobody’s way', () => {
  const at = (startTime: string, endTime: string, status: 'BOOKED' | 'CANCELLED' | 'WAITLISTED' = 'BOOKED') =>
    anAppointment({ date: TODAY, startTime, endTime, status });
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
