import { expect, test } from 'vitest';
import { anAppointment } from '@/test/appointments';
import { afterDate, firstChoice } from './reschedule';

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
