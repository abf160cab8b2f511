import { expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { anAppointment } from '@/test/appointments';
import { APPOINTMENT_STATUSES } from './appointment-status';
import { markText, orderedStatuses, usualNext } from './status-order';

test.each(APPOINTMENT_STATUSES)('offers only the statuses that the server allows for %s', (status) => {
  expect(usualNext(anAppointment({ status, allowedStatuses: [] }))).toBeNull();
  const all = anAppointment({ status, allowedStatuses: [...APPOINTMENT_STATUSES] });
  expect(all.allowedStatuses).toEqual(expect.arrayContaining(orderedStatuses(all)));
});

test('offers to confirm before the day, to check in on it, and neither afterwards', () => {
  expect(usualNext(anAppointment({ allowedStatuses: ['CONFIRMED', 'CANCELLED'] }))).toBe('CONFIRMED');
  expect(usualNext(anAppointment({ allowedStatuses: ['CONFIRMED', 'CHECKED_IN', 'CANCELLED'] }))).toBe(
    'CHECKED_IN',
  );
  expect(usualNext(anAppointment({ allowedStatuses: ['CONFIRMED', 'CANCELLED', 'NO_SHOW'] }))).toBeNull();
});

test('the usual next status comes first, cancelling last', () => {
  expect(
    orderedStatuses(anAppointment({ allowedStatuses: ['CANCELLED', 'CHECKED_IN', 'CONFIRMED'] })),
  ).toEqual(['CHECKED_IN', 'CONFIRMED', 'CANCELLED']);
});

test('the text of a status change depends on the current status', () => {
  expect(markText(th, 'WAITLISTED', 'BOOKED')).toBe('ลงนัดให้');
  expect(markText(th, 'CANCELLED', 'BOOKED')).toBe('เรียกคืนนัด');
  expect(markText(th, 'BOOKED', 'CONFIRMED')).toBe('ยืนยันนัด');
});
