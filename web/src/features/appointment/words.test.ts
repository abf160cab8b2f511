import { expect, test } from 'vitest';
import { APPOINTMENT_STATUSES } from '@/entities/appointment/appointment-status';
import { th } from '@/i18n/th';
import { anAppointment } from '@/test/appointments';
import { afterDate, firstChoice, inOrder, usualNext, withStatus } from './words';

test.each(APPOINTMENT_STATUSES)('offers only what the server allows for %s', (status) => {
  expect(usualNext(anAppointment({ status, allowedStatuses: [] }))).toBeNull();
  const all = anAppointment({ status, allowedStatuses: [...APPOINTMENT_STATUSES] });
  expect(all.allowedStatuses).toEqual(expect.arrayContaining(inOrder(all)));
});

test('offers to confirm before the day, to check in on it, and neither afterwards', () => {
  expect(usualNext(anAppointment({ allowedStatuses: ['CONFIRMED', 'CANCELLED'] }))).toBe('CONFIRMED');
  expect(usualNext(anAppointment({ allowedStatuses: ['CONFIRMED', 'CHECKED_IN', 'CANCELLED'] }))).toBe(
    'CHECKED_IN',
  );
  expect(usualNext(anAppointment({ allowedStatuses: ['CONFIRMED', 'CANCELLED', 'NO_SHOW'] }))).toBeNull();
});

test('the usual next status comes first, cancelling last', () => {
  expect(inOrder(anAppointment({ allowedStatuses: ['CANCELLED', 'CHECKED_IN', 'CONFIRMED'] }))).toEqual([
    'CHECKED_IN',
    'CONFIRMED',
    'CANCELLED',
  ]);
});

test('a no-show is booked again on a later date, starting with the soonest', () => {
  const today = '2026-11-16';
  const missed = anAppointment({ status: 'NO_SHOW', date: today });
  expect(afterDate(missed)).toBe(today);
  expect(firstChoice(missed, today)).toEqual({ date: '2026-11-17', startTime: '' });
  expect(firstChoice({ ...missed, date: '2026-11-02' }, today)).toEqual({ date: '', startTime: '' });
  const booked = anAppointment({ date: today });
  expect(afterDate(booked)).toBeUndefined();
  expect(firstChoice(booked, today)).toEqual({ date: today, startTime: '09:00' });
});

test('the message of a move names the new status', () => {
  const before = anAppointment({ status: 'CONFIRMED' });
  expect(withStatus(th, 'เลื่อนแล้ว', before, before)).toBe('เลื่อนแล้ว');
  expect(withStatus(th, 'เลื่อนแล้ว', before, anAppointment({ status: 'BOOKED' }))).toBe(
    'เลื่อนแล้ว สถานะเป็น “นัดแล้ว”',
  );
});
