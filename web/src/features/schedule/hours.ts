import type { Service } from '@/entities/service/api';
import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { minutesOf, parseClock } from '@/lib/clock';
import { formatDate, weekdayName } from '@/lib/thai-date';
import { type Fields, textFields } from '@/lib/three-way';
import type { Change } from '@/ui/change-list';
import type { ScheduleRow } from './api';

/** A row of the weekly hours while it is edited; empty inputs are ''. */
export interface HoursRow {
  key: string;
  weekday: number;
  startTime: string;
  endTime: string;
  slotMinutes: number | string;
  capacity: number | string;
  validFrom: string | null;
  validTo: string | null;
}

/** A working week starts on Monday. */
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 0];
const MAX_ROWS = 200;

let lastKey = 0;
export const newKey = () => `row ${++lastKey}`;

export function rowsOf(schedule: ScheduleRow[]): HoursRow[] {
  return schedule.map(({ weekday, startTime, endTime, slotMinutes, capacity, validFrom, validTo }) => ({
    key: newKey(),
    weekday,
    startTime,
    endTime,
    slotMinutes: slotMinutes ?? '',
    capacity: capacity ?? '',
    validFrom: validFrom ?? null,
    validTo: validTo ?? null,
  }));
}

/** A new row: after the last one of the day, or a usual morning. */
export function emptyRow(weekday: number, rows: HoursRow[], service: Service): HoursRow {
  const sameDay = rows.filter((row) => row.weekday === weekday);
  const afternoon = sameDay.some(({ endTime }) => endTime > '08:00' && endTime <= '13:00');
  const [startTime, endTime] =
    sameDay.length === 0 ? ['08:30', '12:00'] : afternoon ? ['13:00', '16:00'] : ['', ''];
  return {
    key: newKey(),
    weekday,
    startTime: startTime ?? '',
    endTime: endTime ?? '',
    slotMinutes: service.slotMinutes,
    capacity: service.defaultCapacity,
    validFrom: null,
    validTo: null,
  };
}

/** Copies a row to other days; overlaps are reported by the validation. */
export function copyTo(rows: HoursRow[], row: HoursRow, weekdays: number[]): HoursRow[] {
  const others = weekdays.filter((weekday) => weekday !== row.weekday);
  const same = (a: HoursRow, weekday: number) =>
    rowText({ ...a, weekday: 0 }) === rowText({ ...row, weekday: 0 }) && a.weekday === weekday;
  const copies = others
    .filter((weekday) => !rows.some((one) => same(one, weekday)))
    .map((weekday) => ({ ...row, key: newKey(), weekday }));
  return [...rows, ...copies];
}

/** All values of a row as text, for comparisons. */
function rowText(row: HoursRow): string {
  const { key: _, ...rest } = row;
  return JSON.stringify(rest);
}

/** The rows of a weekday in the order they were added, so that none moves while its time is typed. */
export function rowsOn(rows: HoursRow[], weekday: number): HoursRow[] {
  return rows.filter((row) => row.weekday === weekday);
}

export type Field = 'startTime' | 'endTime' | 'slotMinutes' | 'capacity' | 'validTo';
type Faults = Partial<Record<Field, string>>;

export function rowName(t: Messages, language: Language, rows: HoursRow[], row: HoursRow): string {
  const number = rowsOn(rows, row.weekday).findIndex(({ key }) => key === row.key) + 1;
  return t.schedule.weekly.row(weekdayName(row.weekday, language), number);
}

/** The errors of each row by its key; valid rows have none. */
export function faultsOf(t: Messages, language: Language, rows: HoursRow[]): Map<string, Faults> {
  const found = new Map<string, Faults>();
  for (const row of rows) {
    const faults = faultsOfRow(t, row);
    const clash = rows.find((other) => other.key !== row.key && overlap(row, other));
    if (clash && !faults.startTime)
      faults.startTime = t.schedule.weekly.overlaps(rowName(t, language, rows, clash));
    if (Object.keys(faults).length > 0) found.set(row.key, faults);
  }
  return found;
}

function faultsOfRow(t: Messages, row: HoursRow): Faults {
  const faults: Faults = {};
  const [start, end] = [parseClock(row.startTime), parseClock(row.endTime)];
  if (!start || start === '24:00') faults.startTime = t.schedule.closure.timeInvalid;
  if (!end) faults.endTime = t.schedule.closure.timeInvalid;
  else if (start && end <= start) faults.endTime = t.schedule.closure.timeOrder;
  if (!isWithin(row.slotMinutes, 5, 720)) faults.slotMinutes = t.schedule.weekly.minutesInvalid;
  if (!isWithin(row.capacity, 1, 1000)) faults.capacity = t.schedule.weekly.capacityInvalid;
  if (row.validFrom && row.validTo && row.validTo < row.validFrom)
    faults.validTo = t.schedule.closure.dateOrder;
  return faults;
}

function isWithin(value: number | string, low: number, high: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && low <= value && value <= high;
}

/** Whether two rows of a weekday overlap on a day on which both are valid. */
export function overlap(a: HoursRow, b: HoursRow): boolean {
  const [startA, endA] = [parseClock(a.startTime), parseClock(a.endTime)];
  const [startB, endB] = [parseClock(b.startTime), parseClock(b.endTime)];
  if (!startA || !endA || !startB || !endB || a.weekday !== b.weekday) return false;
  const valid =
    (!a.validTo || !b.validFrom || b.validFrom <= a.validTo) &&
    (!b.validTo || !a.validFrom || a.validFrom <= b.validTo);
  return valid && startA < endB && startB < endA;
}

export function tooMany(rows: HoursRow[]): boolean {
  return rows.length > MAX_ROWS;
}

/** The rows of the request; only for valid rows. */
export function scheduleOf(rows: HoursRow[]): ScheduleRow[] {
  return rows.map(({ weekday, startTime, endTime, slotMinutes, capacity, validFrom, validTo }) => ({
    weekday,
    startTime: parseClock(startTime) ?? startTime,
    endTime: parseClock(endTime) ?? endTime,
    slotMinutes: Number(slotMinutes),
    capacity: Number(capacity),
    ...(validFrom ? { validFrom } : {}),
    ...(validTo ? { validTo } : {}),
  }));
}

/** The number of slots and seats of a row per day. */
export function yieldOf({ startTime, endTime, slotMinutes, capacity }: HoursRow) {
  const [start, end] = [parseClock(startTime), parseClock(endTime)];
  if (!start || !end || end <= start || !isWithin(slotMinutes, 5, 720) || !isWithin(capacity, 1, 1000))
    return null;
  const slots = Math.ceil((minutesOf(end) - minutesOf(start)) / slotMinutes);
  return { slots, seats: slots * capacity };
}

/** '08:30–12:00 ช่วงละ 30 นาที รับ 4 คน ตั้งแต่ 1 ม.ค. 2570'. */
function describeRow(t: Messages, language: Language, row: ScheduleRow): string {
  const { startTime, endTime, slotMinutes = 0, capacity = 0, validFrom, validTo } = row;
  const words = t.schedule.weekly;
  return [
    words.describe(startTime, endTime, slotMinutes, capacity),
    validFrom && words.since(formatDate(validFrom, language)),
    validTo && words.until(formatDate(validTo, language)),
  ]
    .filter(Boolean)
    .join(' ');
}

const onDay = (schedule: ScheduleRow[], weekday: number) => schedule.filter((row) => row.weekday === weekday);

/** The added and removed hours of each weekday. */
export function hoursChanges(
  t: Messages,
  language: Language,
  before: ScheduleRow[],
  after: ScheduleRow[],
): Change[] {
  return WEEKDAYS.flatMap((weekday) => {
    const texts = (schedule: ScheduleRow[]) =>
      onDay(schedule, weekday).map((row) => describeRow(t, language, row));
    const [old, now] = [texts(before), texts(after)];
    const added = now.filter((text) => !old.includes(text));
    const removed = old.filter((text) => !now.includes(text));
    if (added.length + removed.length === 0) return [];
    return [
      { key: String(weekday), label: weekdayName(weekday, language), kind: 'list' as const, added, removed },
    ];
  });
}

/** The hours of each weekday as one text, to compare the changes of two users. */
export function dayTexts(t: Messages, language: Language, schedule: ScheduleRow[]): Record<string, string> {
  return Object.fromEntries(
    WEEKDAYS.map((weekday) => [
      String(weekday),
      onDay(schedule, weekday)
        .map((row) => describeRow(t, language, row))
        .sort()
        .join('; '),
    ]),
  );
}

/** The weekdays as the fields of a schedule that two users may change at once. */
export function weekdayFields(t: Messages, language: Language): Fields<ScheduleRow[]> {
  return {
    ...textFields((schedule: ScheduleRow[]) => dayTexts(t, language, schedule)),
    take: (schedule, from, weekdays) =>
      WEEKDAYS.flatMap((weekday) => onDay(weekdays.includes(String(weekday)) ? from : schedule, weekday)),
  };
}
