import { addDays, hospitalToday } from '@/lib/thai-date';
import type { Appointment } from './api';
import type { Seat } from './appointment-text';

/** The date that the new date must be after, or undefined if there is no such limit. */
export function afterDate({ status, date }: Appointment): string | undefined {
  return status === 'NO_SHOW' ? date : undefined;
}

/** The initial choice for a new time: the current one, or for a no-show the soonest seat on a later date. */
export function firstChoice(appointment: Appointment, today = hospitalToday()): Seat {
  const { date, startTime } = appointment;
  if (!afterDate(appointment)) return { date, startTime };
  return { date: date < today ? '' : addDays(date, 1), startTime: '' };
}
