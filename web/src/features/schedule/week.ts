import type { DaySlots, Slot } from '@/entities/appointment/api';
import { levelOf } from '@/entities/appointment/load';
import type { Service } from '@/entities/service/api';
import { clockOf, minutesOf } from '@/lib/clock';
import { groupBy } from '@/lib/group-by';
import { addDays, firstOfWeek, weekdayOf } from '@/lib/thai-date';
import type { Place } from '@/ui/use-grid-focus';
import type { CapacityChange, CapacityWas, Closure } from './api';

/** How full a slot is; `none` is a time at which the day has no slot. */
export type Load = 'none' | 'free' | 'busy' | 'full' | 'over' | 'closed' | 'past';

/** One start time of one day. */
export interface Cell {
  date: string;
  startTime: string;
  endTime: string;
  load: Load;
  /** Null for a closed slot without bookings, which the server leaves out. */
  slot: Slot | null;
  /** Why it is closed. */
  reason: string;
}

export interface WeekDay {
  date: string;
  closed: boolean;
  reason: string;
  /** One for each of the week's times. */
  cells: Cell[];
}

/** Days × start times. */
export interface Week {
  times: string[];
  days: WeekDay[];
}

export function weekOf(date: string): string[] {
  const first = firstOfWeek(date);
  return [0, 1, 2, 3, 4, 5, 6].map((day) => addDays(first, day));
}

/** The slots of a day by the weekly hours, closed or not. */
export function weeklySlots({ schedule }: Pick<Service, 'schedule'>, date: string) {
  const rows = schedule.filter(
    ({ weekday, validFrom, validTo }) =>
      weekday === weekdayOf(date) && (!validFrom || validFrom <= date) && (!validTo || date <= validTo),
  );
  return rows.flatMap(({ startTime, endTime, slotMinutes = 0 }) => {
    const [start, end] = [minutesOf(startTime), minutesOf(endTime)];
    const count = slotMinutes > 0 ? Math.ceil((end - start) / slotMinutes) : 0;
    return Array.from({ length: count }, (_, index) => ({
      startTime: clockOf(start + index * slotMinutes),
      endTime: clockOf(Math.min(start + (index + 1) * slotMinutes, end)),
    }));
  });
}

/** A slot without capacity is full; one below four fifths of its capacity is free. */
const LOADS = { none: 'full', low: 'free', half: 'free', high: 'busy', full: 'full', over: 'over' } as const;

export function loadOf({ booked, capacity, closed, past }: Slot): Load {
  if (closed) return 'closed';
  return past ? 'past' : LOADS[levelOf(booked, capacity)];
}

/** Whether a closure overlaps a time of the service. */
export function covers(
  closure: Closure,
  serviceId: number,
  date: string,
  start: string,
  end: string,
): boolean {
  const { dateFrom, dateTo, startTime, endTime, serviceIds = [] } = closure;
  const mine = serviceIds.length === 0 || serviceIds.includes(serviceId);
  const timed = startTime !== undefined && endTime !== undefined;
  return mine && dateFrom <= date && date <= dateTo && (!timed || (startTime < end && start < endTime));
}

/**
 * The days as a grid. The server leaves out closed slots without bookings; they are added from the weekly hours, with
 * the reason of the closure.
 */
export function weekGrid(service: Service, days: DaySlots[], closures: Closure[]): Week {
  const hours = days.map(({ date }) => weeklySlots(service, date));
  const starts = [...days.flatMap(({ slots }) => slots), ...hours.flat()].map(({ startTime }) => startTime);
  const times = [...new Set(starts)].sort();
  return {
    times,
    days: days.map(({ date, closed, reason, slots }, index) => {
      const cell = (startTime: string): Cell => {
        const slot = slots.find((one) => one.startTime === startTime) ?? null;
        const weekly = hours[index]?.find((one) => one.startTime === startTime);
        const endTime = slot?.endTime ?? weekly?.endTime ?? startTime;
        const load = slot ? loadOf(slot) : weekly ? 'closed' : 'none';
        const why = closures.find((one) => covers(one, service.id, date, startTime, endTime))?.reason;
        return { date, startTime, endTime, load, slot, reason: load === 'closed' ? (why ?? reason) : '' };
      };
      return { date, closed, reason, cells: times.map(cell) };
    }),
  };
}

/** The two ends of a selection, both included. */
export interface Selection {
  anchor: Place;
  focus: Place;
}

interface Size {
  rows: number;
  cols: number;
}

/** The rows and columns between the two ends; a head selects its whole column or row. */
export function rangeOf({ anchor, focus }: Selection, { rows, cols }: Size) {
  const span = (a: number, b: number, count: number): [number, number] =>
    a < 0 || b < 0 ? [0, count - 1] : [Math.min(a, b), Math.min(Math.max(a, b), count - 1)];
  return { rows: span(anchor.row, focus.row, rows), cols: span(anchor.col, focus.col, cols) };
}

export function isIn(selection: Selection, { row, col }: Place, size: Size): boolean {
  const { rows, cols } = rangeOf(selection, size);
  return rows[0] <= row && row <= rows[1] && cols[0] <= col && col <= cols[1];
}

/** The cells of a selection that are slots of their day. */
export function cellsIn({ days, times }: Week, selection: Selection): Cell[] {
  const { rows, cols } = rangeOf(selection, { rows: times.length, cols: days.length });
  return days
    .slice(cols[0], cols[1] + 1)
    .flatMap(({ cells }) => cells.slice(rows[0], rows[1] + 1))
    .filter(({ load }) => load !== 'none');
}

/** A slot whose capacity is to be set. */
type SlotPlace = Pick<Cell, 'date' | 'startTime'>;

/**
 * The fewest calls that set the capacity of exactly these slots: one for consecutive whole days, and one for a start
 * time on consecutive days. `slotsOf` returns the start times of all slots of a day.
 */
export function capacityCalls(
  serviceId: number,
  places: SlotPlace[],
  capacity: number | null,
  slotsOf: (date: string) => string[],
): CapacityChange[] {
  const startsOf = groupBy(places, ({ date }) => date);
  const whole = [...startsOf.keys()].filter(
    (date) => startsOf.get(date)?.length === slotsOf(date).length && slotsOf(date).length > 1,
  );
  const single = places.filter(({ date }) => !whole.includes(date));
  const calls = consecutive(whole).map(([dateFrom, dateTo]) => ({ serviceId, dateFrom, dateTo, capacity }));
  const byStart = [...groupBy(single, ({ startTime }) => startTime)].sort(([a], [b]) => (a < b ? -1 : 1));
  const timed = byStart.flatMap(([startTime, days]) =>
    consecutive(days.map(({ date }) => date)).map(([dateFrom, dateTo]) => ({
      serviceId,
      dateFrom,
      dateTo,
      startTime,
      capacity,
    })),
  );
  return [...calls, ...timed];
}

/** First and last date of each run of consecutive dates. */
function consecutive(dates: string[]): [string, string][] {
  const runs: [string, string][] = [];
  for (const date of [...new Set(dates)].sort()) {
    const run = runs.at(-1);
    if (run && addDays(run[1], 1) === date) run[1] = date;
    else runs.push([date, date]);
  }
  return runs;
}

/** The calls that restore the previous capacities: each slot's own number, or null for the weekly hours. */
export function restoreCalls(
  serviceId: number,
  previous: CapacityWas[],
  slotsOf: (date: string) => string[],
): CapacityChange[] {
  return [...groupBy(previous, ({ capacity }) => capacity)]
    .flatMap(([capacity, places]) => capacityCalls(serviceId, places, capacity, slotsOf))
    .map((call) => ({ ...call, force: true }));
}

/** The time that a selection covers, for a closure; without times if whole days are selected. */
export function closureOf({ days, times }: Week, selection: Selection) {
  const { rows, cols } = rangeOf(selection, { rows: times.length, cols: days.length });
  const [first, last] = [days[cols[0]], days[cols[1]]];
  const ends = cellsIn({ days, times }, selection).map(({ endTime }) => endTime);
  const allDay = rows[0] === 0 && rows[1] === times.length - 1 && times.length > 1;
  return {
    dateFrom: first?.date ?? '',
    dateTo: last?.date ?? '',
    ...(allDay ? {} : { startTime: times[rows[0]] ?? '', endTime: ends.sort().at(-1) ?? '' }),
  };
}
