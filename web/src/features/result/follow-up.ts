import type { DaySlots } from '@/entities/appointment/api';
import { addDays } from '@/lib/thai-date';

export const WEEKS = [1, 2, 4, 8, 12];
/** How far from the day that was asked for another one is looked for. */
export const BEFORE = 3;
export const AFTER = 7;

export interface FreeSeat {
  date: string;
  startTime: string;
}

const apart = (one: string, other: string) =>
  Math.abs(Date.parse(`${one}T00:00:00Z`) - Date.parse(`${other}T00:00:00Z`)) / 86_400_000;

/**
 * The seat to propose: of the open days around the target the least loaded, of equal ones the nearest; at the time of
 * day of this visit if it is free, else the first free one. Null where nothing is free.
 */
export function proposeSeat(days: readonly DaySlots[], target: string, time: string): FreeSeat | null {
  const open = days.flatMap(({ date, slots }) => {
    const usable = slots.filter(({ closed }) => !closed);
    const free = usable.filter(({ state }) => state === 'FREE');
    const capacity = usable.reduce((sum, slot) => sum + slot.capacity, 0);
    const booked = usable.reduce((sum, slot) => sum + slot.booked, 0);
    return free.length > 0 ? [{ date, free, load: Math.round((booked / capacity) * 20) }] : [];
  });
  open.sort((one, other) => one.load - other.load || apart(one.date, target) - apart(other.date, target));
  const best = open[0];
  const slot = best?.free.find(({ startTime }) => startTime === time) ?? best?.free[0];
  return best && slot ? { date: best.date, startTime: slot.startTime } : null;
}

/** The day so many weeks after the visit, or after today for a visit that is long past. */
export function targetDay(visit: string, today: string, weeks: number): string {
  return addDays(visit > today ? visit : today, weeks * 7);
}
