import type { Messages } from '@/i18n/th';
import { addDays } from '@/lib/thai-date';
import type { Appointment, DaySlots, Slot, SlotState } from './api';
import type { Seat } from './appointment-text';

/** How many days the strip shows at once. */
export const STRIP_DAYS = 14;
/** The longest period the server returns at once. */
export const MAX_DAYS = 62;

/** True for a slot that can be booked, waited for or overbooked. */
export const isOpen = ({ state }: { state: SlotState | 'OFF' }): boolean =>
  state === 'FREE' || state === 'FULL';

/** Free seats of a day. */
export function freeIn({ slots }: DaySlots): number {
  return slots.reduce((sum, { available }) => sum + available, 0);
}

export function firstFree({ slots }: DaySlots): Slot | undefined {
  return slots.find(({ state }) => state === 'FREE');
}

/** The first seat that can be taken, of days in order. */
export function soonest(days: readonly DaySlots[]): Seat | null {
  for (const day of days) {
    const slot = firstFree(day);
    if (slot) return { date: day.date, startTime: slot.startTime };
  }
  return null;
}

/**
 * The first day of the strip that shows a date: the two weeks from today while they hold it, else those from the date
 * on.
 */
export function stripFrom(date: string | null, today: string): string {
  return date && (date < today || date >= addDays(today, STRIP_DAYS)) ? date : today;
}

/** The note of a day without a free seat is the first of these states that one of its slots has. */
const REASONS = ['FULL', 'TOO_SOON', 'TOO_LATE', 'PAST', 'CLOSED'] as const;

/** The note below the date of a day. */
export function dayNote(t: Messages, day: DaySlots): string {
  const words = t.appointment;
  if (day.closed) return day.reason ? words.closedFor(day.reason) : words.slotStates.CLOSED;
  if (day.slots.length === 0) return words.notOpen;
  const free = freeIn(day);
  if (free > 0) return words.free(free);
  const reason = REASONS.find((one) => day.slots.some(({ state }) => state === one)) ?? 'CLOSED';
  return words.slotStates[reason];
}

/** True for a day without a slot that can be booked, waited for or overbooked. */
export function dayIsOver({ slots }: DaySlots): boolean {
  return !slots.some(isOpen);
}

/** The note below the time of a slot. */
export function slotNote(t: Messages, { state, available, waitlisted }: Slot): string {
  const words = t.appointment;
  if (state === 'FREE') return words.free(available);
  return state === 'FULL' && waitlisted > 0 ? words.fullWaiting(waitlisted) : words.slotStates[state];
}

/** The seats that can still be overbooked. */
export function overbookLeft(slot: Slot, overbookLimit: number): number {
  return Math.max(0, slot.capacity + overbookLimit - slot.booked);
}

/** Other appointments of the patient at the same time as a seat, or on the same day. */
export function besides(
  others: readonly Appointment[],
  seat: { date: string; startTime: string; endTime: string },
): { overlapping: Appointment[]; sameDay: Appointment[] } {
  const held = others.filter(({ date, holdsSeat }) => date === seat.date && holdsSeat);
  const overlaps = ({ startTime, endTime }: Appointment) =>
    startTime < seat.endTime && endTime > seat.startTime;
  return { overlapping: held.filter(overlaps), sameDay: held.filter((other) => !overlaps(other)) };
}
