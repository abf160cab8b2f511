import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { addDays, formatDate, formatTime, hospitalToday, weekdayOf } from '@/lib/thai-date';
import type { Appointment } from './api';

/** A time on a date. */
export interface Seat {
  date: string;
  startTime: string;
}

/** 'จ. 16 พ.ย. 2569', or "today" and "tomorrow". */
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

/** The message `done`, with the new status if it has changed. */
export function withStatus(t: Messages, done: string, before: Appointment, now: Appointment): string {
  return before.status === now.status
    ? done
    : `${done} ${t.appointment.statusNow(t.appointment.statuses[now.status])}`;
}
