import { expect, test } from 'vitest';
import { anAppointment } from '@/test/appointments';
import { appointmentSchema, changeBody, changedFields, valuesOf } from './appointment-values';

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
