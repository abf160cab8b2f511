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

/**
 * What most often comes next, for the one-click button of a row; the server decides, and its details tell everything that
 * is allowed. A queue number is given for the day itself.
 */
export function usualNext({ status, date }: Appointment, today = hospitalToday()): AppointmentStatus | null {
  const onTheDay = date === today;
  switch (status) {
    case 'WAITLISTED':
    case 'PENDING':
      return 'BOOKED';
    case 'BOOKED':
      return onTheDay ? 'CHECKED_IN' : date > today ? 'CONFIRMED' : null;
    case 'CONFIRMED':
      return onTheDay ? 'CHECKED_IN' : null;
    case 'CHECKED_IN':
      return 'IN_SERVICE';
    case 'IN_SERVICE':
      return 'COMPLETED';
    default:
      return null;
  }
}

/** What is allowed in the order in which it is offered: the usual first, giving up last. */
export function inOrder(appointment: Appointment, allowed: AppointmentStatus[]): AppointmentStatus[] {
  const next = usualNext(appointment);
  const place = (to: AppointmentStatus) => (to === next ? 0 : to === 'CANCELLED' ? 2 : 1);
  return allowed.toSorted((a, b) => place(a) - place(b));
}

/** What a patient must not be given, by its name alone: severity and reaction stand in the record. */
export function allergiesOf({ allergies, noKnownAllergy }: PatientRecord) {
  return { substances: allergies.map(({ substance }) => substance).join(', '), noKnownAllergy };
}
