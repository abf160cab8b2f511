import { expect, test } from 'vitest';
import { bothChanged, mergeChanges } from '@/lib/three-way';
import { anAppointment } from '@/test/appointments';
import {
  appointmentFields,
  appointmentSchema,
  changedFields,
  changeOf,
  movesSeat,
  valuesOf,
} from './appointment-values';

test('a change sends only the changed fields', () => {
  const appointment = anAppointment({ staffId: 12, note: 'เดิม' });
  const before = valuesOf(appointment);
  expect(changeOf(appointment, before)).toBeNull();
  expect(changeOf(appointment, { ...before, staffId: '', startTime: '10:00' })).toEqual({
    id: 7,
    version: 1,
    staffId: null,
    startTime: '10:00',
  });
});

test('an appointment as the server sends it is valid', () => {
  expect(appointmentSchema.safeParse(valuesOf(anAppointment())).success).toBe(true);
});

test('the reason for overbooking is no field of the appointment', () => {
  const before = valuesOf(anAppointment());
  expect(changedFields(before, { ...before, overbookReason: 'ด่วน' })).toEqual([]);
});

test.each([
  ['date', '31/12/2569'],
  ['date', '2026-02-30'],
  ['startTime', '25:00'],
  ['serviceId', -1],
  ['staffId', 'x'],
  ['kind', 'OLD'],
])('the schema rejects %s “%s”', (field, value) => {
  const result = appointmentSchema.safeParse({ ...valuesOf(anAppointment()), [field]: value });
  expect(result.error?.issues.map(({ path }) => path.join('.'))).toEqual([field]);
});

test('service, date and time of two users are never mixed', () => {
  const before = valuesOf(anAppointment());
  const mine = { ...before, date: '2026-11-20', overbookReason: 'ด่วน' };
  const theirs = { ...before, startTime: '15:00', note: 'ใหม่' };
  const sides = { before, mine, theirs };
  expect(bothChanged(appointmentFields, sides)).toEqual(['seat']);
  expect(mergeChanges(appointmentFields, sides)).toEqual({ ...mine, note: 'ใหม่' });
  expect(mergeChanges(appointmentFields, sides, ['seat'])).toEqual(theirs);
});

test('a change moves the appointment if it names another service, date or time', () => {
  const appointment = anAppointment();
  const values = valuesOf(appointment);
  expect(movesSeat(changeOf(appointment, { ...values, note: 'ใหม่' }))).toBe(false);
  expect(movesSeat(changeOf(appointment, { ...values, startTime: '15:00' }))).toBe(true);
  expect(movesSeat(null)).toBe(false);
});
