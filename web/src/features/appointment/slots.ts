import type { Messages } from '@/i18n/th';
import { addDays, inHospital } from '@/lib/thai-date';
import type { Appointment, DaySlots, Slot } from './api';
import type { Seat } from './words';

/** How many days the strip shows at once. */
export const STRIP_DAYS = 14;
/** The server tells at most so many days at once. */
export const MOST_DAYS = 62;

/** What decides, beside the seats themselves, whether a slot can be taken. */
export interface SlotRules {
  /** The hospital's day and time now. */
  now: { date: string; time: string };
  /** Somebody who stands at the desk may take a seat in the slot that runs, and needs no lead time. */
  walkIn: boolean;
  leadMinutes: number;
}

export function slotRules(walkIn: boolean, leadMinutes: number, now: Date = new Date()): SlotRules {
  return { now: inHospital(now), walkIn, leadMinutes };
}

const minute = (date: string, time: string) => Date.parse(`${date}T${time}:00Z`) / 60_000;

export type SlotState = 'free' | 'full' | 'past' | 'closed';

export function slotState(date: string, slot: Slot, { now, walkIn, leadMinutes }: SlotRules): SlotState {
  if (slot.closed) return 'closed';
  const running = walkIn && date === now.date && slot.startTime <= now.time && now.time < slot.endTime;
  const late = slot.past && !running;
  const tooSoon =
    !walkIn && minute(date, slot.startTime) < minute(now.date, now.time) + leadMinutes && leadMinutes > 0;
  if (late || tooSoon) return 'past';
  return slot.booked < slot.capacity ? 'free' : 'full';
}

export function seatsLeft(date: string, slot: Slot, rules: SlotRules): number {
  return slotState(date, slot, rules) === 'free' ? slot.capacity - slot.booked : 0;
}

/** Free seats of a day. */
export function freeIn({ date, slots }: DaySlots, rules: SlotRules): number {
  return slots.reduce((sum, slot) => sum + seatsLeft(date, slot, rules), 0);
}

export function firstFree({ date, slots }: DaySlots, rules: SlotRules): Slot | undefined {
  return slots.find((slot) => slotState(date, slot, rules) === 'free');
}

/** The first seat that can be taken, of days in order. */
export function soonest(days: readonly DaySlots[], rules: SlotRules): Seat | null {
  for (const day of days) {
    const slot = firstFree(day, rules);
    if (slot) return { date: day.date, startTime: slot.startTime };
  }
  return null;
}

/** The first day of the strip that shows a date: the two weeks from today while they hold it, else those from the date on. */
export function stripFrom(date: string | null, today: string): string {
  return date && (date < today || date >= addDays(today, STRIP_DAYS)) ? date : today;
}

/** What a day of the strip says below its date. */
export function dayNote(t: Messages, day: DaySlots, rules: SlotRules): string {
  const words = t.appointment;
  if (day.closed) return day.reason ? words.closedFor(day.reason) : words.closed;
  if (day.slots.length === 0) return words.notOpen;
  const free = freeIn(day, rules);
  if (free > 0) return words.free(free);
  const states = day.slots.map((slot) => slotState(day.date, slot, rules));
  return states.includes('full') ? words.full : states.includes('past') ? words.past : words.closed;
}

/** True for a day on which nothing can be asked for, not even to wait. */
export function dayIsOver(day: DaySlots, rules: SlotRules): boolean {
  return !day.slots.some((slot) => ['free', 'full'].includes(slotState(day.date, slot, rules)));
}

/** What a slot says below its time. */
export function slotNote(t: Messages, date: string, slot: Slot, rules: SlotRules): string {
  const words = t.appointment;
  switch (slotState(date, slot, rules)) {
    case 'free':
      return words.free(slot.capacity - slot.booked);
    case 'full':
      return slot.waitlisted > 0 ? words.fullWaiting(slot.waitlisted) : words.full;
    case 'past':
      return words.past;
    case 'closed':
      return words.closed;
  }
}

/** How many can still be taken beyond the capacity. */
export function overbookLeft(slot: Slot, overbookLimit: number): number {
  return Math.max(0, slot.capacity + overbookLimit - slot.booked);
}

const HELD = ['PENDING', 'BOOKED', 'CONFIRMED', 'CHECKED_IN', 'IN_SERVICE', 'COMPLETED', 'NO_SHOW'];

/** Other appointments of the patient that clash with a seat, or stand on the same day. */
export function besides(
  others: readonly Appointment[],
  seat: { date: string; startTime: string; endTime: string },
): { overlapping: Appointment[]; sameDay: Appointment[] } {
  const held = others.filter(({ date, status }) => date === seat.date && HELD.includes(status));
  const overlaps = ({ startTime, endTime }: Appointment) =>
    startTime < seat.endTime && endTime > seat.startTime;
  return { overlapping: held.filter(overlaps), sameDay: held.filter((other) => !overlaps(other)) };
}
