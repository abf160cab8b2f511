import { expect, test } from 'vitest';
import { anAppointment } from '@/test/appointments';
import { APPOINTMENT_STATUSES } from '@/ui/appointment-status';
import { needsReason, STATUS_RULES } from './status-rules';
import { inOrder, usualNext } from './words';

const TODAY = '2026-11-16';
const DAYS = ['2026-11-15', TODAY, '2026-11-17'];

test.each(APPOINTMENT_STATUSES)('what is offered first for %s is allowed, and needs no reason', (status) => {
  for (const date of DAYS) {
    const next = usualNext(anAppointment({ status, date }), TODAY);
    if (!next) continue;
    expect(STATUS_RULES[status].next).toContain(next);
    expect(needsReason(status, next)).toBe(false);
    // A queue number is given on the day only.
    expect(next === 'CHECKED_IN' && date !== TODAY).toBe(false);
  }
});

test('a reason is needed to give up and to go back', () => {
  expect(needsReason('BOOKED', 'CANCELLED')).toBe(true);
  expect(needsReason('COMPLETED', 'IN_SERVICE')).toBe(true);
  expect(needsReason('CANCELLED', 'BOOKED')).toBe(true);
  expect(needsReason('WAITLISTED', 'BOOKED')).toBe(false);
  expect(needsReason('BOOKED', 'NO_SHOW')).toBe(false);
  expect(needsReason('IN_SERVICE', 'CHECKED_IN')).toBe(false);
});

test('the usual comes first, giving up last', () => {
  const tomorrow = anAppointment({ status: 'BOOKED', date: '2999-01-01' });
  expect(inOrder(tomorrow, ['NO_SHOW', 'CANCELLED', 'CONFIRMED'])).toEqual([
    'CONFIRMED',
    'NO_SHOW',
    'CANCELLED',
  ]);
  const past = anAppointment({ status: 'BOOKED', date: '2000-01-01' });
  expect(inOrder(past, ['CONFIRMED', 'CANCELLED', 'NO_SHOW'])).toEqual(['CONFIRMED', 'NO_SHOW', 'CANCELLED']);
});
