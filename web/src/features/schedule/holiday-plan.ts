import type { Holiday } from '@/lib/thai-holidays';
import type { Closure } from './api';

/** A holiday of the list with what the person decided. */
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

/** Whether the whole hospital is closed all that day already, whatever it is called. */
export function isThere(date: string, closures: Closure[]): boolean {
  return closures.some(
    (closure) => isWholeDay(closure) && closure.dateFrom <= date && date <= closure.dateTo,
  );
}

/** What has to be added: chosen, dated within the year, not there yet, and each date once. */
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
