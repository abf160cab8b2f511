import type { Holiday } from '@/lib/thai-holidays';
import type { Closure } from './api';

/** A holiday of the list with the user's choice. */
export interface Planned extends Holiday {
  chosen: boolean;
}

export function planOf(holidays: Holiday[]): Planned[] {
  return holidays.map((holiday) => ({ ...holiday, chosen: holiday.date !== null && !holiday.optional }));
}

/** Closes the whole hospital, all day. */
export function isWholeDay({ serviceIds = [], startTime }: Closure): boolean {
  return serviceIds.length === 0 && !startTime;
}

/** Whether the whole hospital is already closed all that day, for any reason. */
export function isThere(date: string, closures: Closure[]): boolean {
  return closures.some(
    (closure) => isWholeDay(closure) && closure.dateFrom <= date && date <= closure.dateTo,
  );
}

/** The holidays to add: chosen, within the year, not added yet, and each date once. */
export function toAdd(plan: Planned[], year: number, closures: Closure[]): (Planned & { date: string })[] {
  const taken = new Set<string>();
  return plan.flatMap((holiday) => {
    const { chosen, date } = holiday;
    if (!chosen || !date?.startsWith(`${year}-`)) return [];
    if (taken.has(date) || isThere(date, closures)) return [];
    taken.add(date);
    return [{ ...holiday, date }];
  });
}
