import { expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { bookingBody, bookingSchema, NEW_BOOKING, seriesBody } from './booking-values';

const seat = { date: '2026-11-16', startTime: '09:00' };
const booking = { patientId: 5, serviceId: 3, seat, action: 'BOOK' as const };
const values = { ...NEW_BOOKING, staffId: '12', reason: ' ปวดหัว ', overbookReason: 'ด่วน' };

test('a booking asks for a seat; waiting and overbooking only where it is full', () => {
  const plain = bookingBody(values, booking);
  expect(plain).toMatchObject({ patientId: 5, serviceId: 3, staffId: 12, reason: 'ปวดหัว' });
  expect(plain).not.toHaveProperty('waitlist');
  expect(plain).not.toHaveProperty('overbookReason');
  expect(bookingBody(values, { ...booking, action: 'WAIT' })).toMatchObject({ waitlist: true });
  const over = bookingBody(values, { ...booking, action: 'OVERBOOK' });
  expect(over).toMatchObject({ overbookReason: 'ด่วน' });
  expect(over).not.toHaveProperty('waitlist');
});

test('a series counts weeks or days, never both', () => {
  expect(seriesBody({ ...values, every: '2', count: 6 }, booking)).toMatchObject({ everyWeeks: 2, count: 6 });
  const days = seriesBody({ ...values, unit: 'days', every: 10 }, booking);
  expect(days).toMatchObject({ everyDays: 10 });
  expect(days).not.toHaveProperty('everyWeeks');
});

const faultsOf = (part: object) =>
  bookingSchema(th)
    .safeParse({ ...values, ...part })
    .error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? [];

test.each([
  ['unchanged', {}],
  ['of one visit, whatever stands in the hidden inputs', { every: '', count: 99 }],
  ['of a series with numbers as typed', { repeat: true, every: '2', count: 24 }],
  ['every 366 days', { repeat: true, unit: 'days', every: 366 }],
])('a booking %s is valid', (_, part) => {
  expect(faultsOf(part)).toEqual([]);
});

test.each([
  ['every', { repeat: true, every: '' }, th.appointment.everyRange(52)],
  ['every', { repeat: true, every: 53 }, th.appointment.everyRange(52)],
  ['every', { repeat: true, unit: 'days', every: 367 }, th.appointment.everyRange(366)],
  ['every', { repeat: true, every: 1.5 }, th.appointment.everyRange(52)],
  ['count', { repeat: true, count: 0 }, th.appointment.everyRange(24)],
  ['count', { repeat: true, count: 25 }, th.appointment.everyRange(24)],
])('a series with the wrong %s has a message', (field, part, message) => {
  expect(faultsOf(part)).toEqual([[field, message]]);
});

test.each([
  ['staffId', 'x'],
  ['kind', 'OLD'],
  ['channel', 'FAX'],
  ['priority', ''],
  ['unit', 'years'],
  ['reason', 'ก'.repeat(501)],
  ['note', 'ก'.repeat(2001)],
  ['overbookReason', 'ก'.repeat(301)],
])('the schema rejects %s “%s”', (field, value) => {
  expect(faultsOf({ [field]: value }).map(([path]) => path)).toEqual([field]);
});
