import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { addDays, formatDate, formatTime, hospitalToday, weekdayOf } from '@/lib/thai-date';
import type { Appointment, AppointmentStatus, PatientRecord } from './api';

/** A time on a date. */
export interface Seat {
  date: string;
  startTime: string;
}

/** 'จ. 16 พ.ย. 2569', with "today" and "tomorrow" where it is. */
export function dayText(t: Messages, language: Language, date: string, today = hospitalToday()): string {
  const day = `${t.appointment.weekdaysShort[weekdayOf(date)]} ${formatDate(date, language)}`;
  if (date === today) return `${t.appointment.today} ${day}`;
  return date === addDays(today, 1) ? `${t.appointment.tomorrow} ${day}` : day;
}

export function seatText(t: Messages, language: Language, { date, startTime }: Seat): string {
  return `${dayText(t, language, date)} ${formatTime(startTime, language)}`;
}

/** 'อายุรกรรม จ. 16 พ.ย. 2569 09:00 น.' */
export function appointmentText(
  t: Messages,
  language: Language,
  nameOf: (service: Appointment['service']) => string,
  appointment: Appointment,
): string {
  return `${nameOf(appointment.service)} ${seatText(t, language, appointment)}`;
}

/** What the button from one status to another says. */
export function markText(t: Messages, from: AppointmentStatus, to: AppointmentStatus): string {
  const { marks, markFrom } = t.appointment;
  if (to === 'BOOKED' && (from === 'WAITLISTED' || from === 'PENDING' || from === 'CANCELLED')) {
    return markFrom[from];
  }
  if (from === 'COMPLETED' && to === 'IN_SERVICE') return markFrom.COMPLETED;
  return from === 'IN_SERVICE' && to === 'CHECKED_IN' ? markFrom.IN_SERVICE : marks[to];
}

/** The usual next statuses, most likely first. */
const USUAL_NEXT: Partial<Record<AppointmentStatus, AppointmentStatus[]>> = {
  WAITLISTED: ['BOOKED'],
  PENDING: ['BOOKED'],
  BOOKED: ['CHECKED_IN', 'CONFIRMED'],
  CONFIRMED: ['CHECKED_IN'],
  CHECKED_IN: ['IN_SERVICE'],
  IN_SERVICE: ['COMPLETED'],
};

/**
 * The status that a row's one-click button sets: the most likely allowed one. A slot that has begun is not confirmed.
 */
export function usualNext({ status, allowedStatuses }: Appointment): AppointmentStatus | null {
  const began = allowedStatuses.includes('NO_SHOW');
  const likely = USUAL_NEXT[status]?.find(
    (to) => allowedStatuses.includes(to) && !(to === 'CONFIRMED' && began),
  );
  return likely ?? null;
}

/** What is allowed in the order in which it is offered: the usual first, giving up last. */
export function inOrder(appointment: Appointment): AppointmentStatus[] {
  const next = usualNext(appointment);
  const place = (to: AppointmentStatus) => (to === next ? 0 : to === 'CANCELLED' ? 2 : 1);
  return appointment.allowedStatuses.toSorted((a, b) => place(a) - place(b));
}

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

/** The message `done`, with the new status if it has changed. */
export function withStatus(t: Messages, done: string, before: Appointment, now: Appointment): string {
  return before.status === now.status
    ? done
    : `${done} ${t.appointment.statusNow(t.appointment.statuses[now.status])}`;
}

/** What a patient must not be given, by its name alone: severity and reaction stand in the record. */
export function allergiesOf({ allergies, noKnownAllergy }: PatientRecord) {
  return { substances: allergies.map(({ substance }) => substance).join(', '), noKnownAllergy };
}
