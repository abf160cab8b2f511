import rules from '@/data/appointment-statuses.json';
import type { AppointmentStatus } from './api';

interface StatusRule {
  /** Takes a seat. */
  seat: boolean;
  /** Can be moved to another time. */
  moves: boolean;
  /** What can be made of it, on the day of the appointment. */
  next: AppointmentStatus[];
  /** What can be made of it with the right to go back, and a reason. */
  back: AppointmentStatus[];
}

/** The server's table of statuses; a test of the server keeps the file the same. */
export const STATUS_RULES = rules as Record<AppointmentStatus, StatusRule>;

/** Whether the server wants to know why. */
export function needsReason(from: AppointmentStatus, to: AppointmentStatus): boolean {
  return to === 'CANCELLED' || STATUS_RULES[from].back.includes(to);
}
