import { expect, test } from 'vitest';
import { anAppointment } from '@/test/appointments';
import { bookingBody, changeBody, NEW_BOOKING, seriesBody, valuesOf } from './booking-values';

const booking = { patientId: 5, seat: { date: '2026-11-16', startTime: '09:00' }, deed: 'BOOK' as const };
const values = { ...NEW_BOOKING, serviceId: 3, staffId: '12', reason: ' ปวดหัว ', overbookReason: 'ด่วน' };

test('a booking asks for a seat; waiting and overbooking only where it is full', () => {
  const plain = bookingBody(values, booking);
  expect(plain).toMatchObject({ patientId: 5, serviceId: 3, staffId: 12, reason: 'ปวดหัว' });
  expect(plain).not.toHaveProperty('waitlist');
  expect(plain).not.toHaveProperty('overbookReason');
  expect(bookingBody(values, { ...booking, deed: 'WAIT' })).toMatchObject({ waitlist: true });
  const over = bookingBody(values, { ...booking, deed: 'OVERBOOK' });
  expect(over).toMatchObject({ overbookReason: 'ด่วน' });
  expect(over).not.toHaveProperty('waitlist');
});

test('a series counts weeks or days, never both', () => {
  expect(seriesBody({ ...values, every: '2', count: 6 }, booking)).toMatchObject({ everyWeeks: 2, count: 6 });
  const days = seriesBody({ ...values, unit: 'days', every: 10 }, booking);
  expect(days).toMatchObject({ everyDays: 10 });
  expect(days).not.toHaveProperty('everyWeeks');
});

test('a change sends only what was changed', () => {
  const appointment = anAppointment({ staffId: 12, note: 'เดิม' });
  const before = valuesOf(appointment);
  expect(changeBody(appointment, before, before)).toEqual({ id: 7, version: 1 });
  expect(changeBody(appointment, before, { ...before, staffId: '', startTime: '10:00' })).toEqual({
    id: 7,
    version: 1,
    staffId: null,
    startTime: '10:00',
  });
});
