import type { DaySlots, Slot } from '@/entities/appointment/api';
import type { Service } from '@/entities/service/api';
import { clockOf, minutesOf } from '@/lib/clock';
import { groupBy } from '@/lib/group-by';
import { addDays, firstOfWeek, weekdayOf } from '@/lib/thai-date';
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

/** From this share of the capacity on a slot is nearly full. */
const BUSY = 0.8;

export function weekOf(date: string): string[] {
  const first = firstOfWeek(date);
  return [0, 1, 2, 3, 4, 5, 6].map((day) => addDays(first, day));
}

/** The slots that the weekly hours give a day, closed or not. */
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

export function loadOf({ booked, capacity, closed, past }: Slot): Load {
  if (closed) return 'closed';
  if (past) return 'past';
  if (booked > capacity) return 'over';
  if (booked >= capacity) return 'full';
  return booked >= capacity * BUSY ? 'busy' : 'free';
}

/** Whether a closure takes a part of a time of the service. */
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
 * The days as a grid. The server leaves out closed slots that nobody booked; they are added from the weekly hours, so that
 * one sees what is closed, and why.
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

/** A place in the grid; -1 is the row of days, or the column of times. */
export interface Place {
  row: number;
  col: number;
}

/** From where to where is chosen, both included. */
export interface Selection {
  anchor: Place;
  focus: Place;
}

interface Size {
  rows: number;
  cols: number;
}

/** The rows and columns between the two ends; a header stands for its whole column or row. */
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

const STEPS: Record<string, [row: number, col: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Where a key leads from a place, or null for a key that leads nowhere. The corner is no place. */
export function stepFrom(
  { row, col }: Place,
  key: string,
  { rows, cols }: Size,
  { ctrl = false, rtl = false } = {},
): Place | null {
  const last = { row: rows - 1, col: cols - 1 };
  if (key === 'Home') return { row: ctrl ? 0 : row, col: 0 };
  if (key === 'End') return { row: ctrl ? last.row : row, col: last.col };
  if (key === 'PageUp') return { row: 0, col };
  if (key === 'PageDown') return { row: last.row, col };
  const step = STEPS[key];
  if (!step) return null;
  const next = {
    row: Math.min(Math.max(row + step[0], -1), last.row),
    col: Math.min(Math.max(col + (rtl ? -step[1] : step[1]), -1), last.col),
  };
  return next.row < 0 && next.col < 0 ? { row, col } : next;
}

/** A slot whose capacity is to be set. */
type SlotPlace = Pick<Cell, 'date' | 'startTime'>;

/**
 * The fewest calls that set the capacity of exactly these slots: whole days in a row are one, and so is one start time on
 * days in a row. `slotsOf` tells the start times of all slots that a day has.
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
  const calls = inARow(whole).map(([dateFrom, dateTo]) => ({ serviceId, dateFrom, dateTo, capacity }));
  const byStart = [...groupBy(single, ({ startTime }) => startTime)].sort(([a], [b]) => (a < b ? -1 : 1));
  const timed = byStart.flatMap(([startTime, days]) =>
    inARow(days.map(({ date }) => date)).map(([dateFrom, dateTo]) => ({
      serviceId,
      dateFrom,
      dateTo,
      startTime,
      capacity,
    })),
  );
  return [...calls, ...timed];
}

/** First and last of each run of dates that follow each other. */
function inARow(dates: string[]): [string, string][] {
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

/** The time that a selection of cells covers, for a closure: all day when the whole day is chosen. */
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
