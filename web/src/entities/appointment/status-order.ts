import type { Messages } from '@/i18n/th';
import type { Appointment, AppointmentStatus } from './api';

/** The text of the button that changes one status to another. */
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

/** The allowed statuses in the order of the buttons: the usual next one first, cancelling last. */
export function orderedStatuses(appointment: Appointment): AppointmentStatus[] {
  const next = usualNext(appointment);
  const place = (to: AppointmentStatus) => (to === next ? 0 : to === 'CANCELLED' ? 2 : 1);
  return appointment.allowedStatuses.toSorted((a, b) => place(a) - place(b));
}
