import type { DaySlots } from '@/entities/appointment/api';
import { addDays } from '@/lib/thai-date';

export const WEEKS = [1, 2, 4, 8, 12];
/** How many days around the requested one are considered. */
export const BEFORE = 3;
export const AFTER = 7;

export interface FreeSeat {
  date: string;
  startTime: string;
}

const daysBetween = (one: string, other: string) =>
  Math.abs(Date.parse(`${one}T00:00:00Z`) - Date.parse(`${other}T00:00:00Z`)) / 86_400_000;

/**
 * Returns the seat to propose: on the least loaded open day around the target, the nearest of equal ones; at this
 * visit's time of day if free, else the first free time. Null if there is none.
 */
export function proposeSeat(days: readonly DaySlots[], target: string, time: string): FreeSeat | null {
  const open = days.flatMap(({ date, slots }) => {
    const usable = slots.filter(({ closed }) => !closed);
    const free = usable.filter(({ state }) => state === 'FREE');
    const capacity = usable.reduce((sum, slot) => sum + slot.capacity, 0);
    const booked = usable.reduce((sum, slot) => sum + slot.booked, 0);
    return free.length > 0 ? [{ date, free, load: Math.round((booked / capacity) * 20) }] : [];
  });
  open.sort(
    (one, other) => one.load - other.load || daysBetween(one.date, target) - daysBetween(other.date, target),
  );
  const best = open[0];
  const slot = best?.free.find(({ startTime }) => startTime === time) ?? best?.free[0];
  return best && slot ? { date: best.date, startTime: slot.startTime } : null;
}

/** The day a number of weeks after the visit, or after today for an old visit. */
export function targetDay(visit: string, today: string, weeks: number): string {
  return addDays(visit > today ? visit : today, weeks * 7);
}
