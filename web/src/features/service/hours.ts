import type { Messages } from '@/i18n/th';
import type { ScheduleRow } from './api';

/** Monday first, as in Thai timetables. */
const WEEK = [1, 2, 3, 4, 5, 6, 0];

/** The hours that apply on a day. */
function validOn(rows: readonly ScheduleRow[], day: string): ScheduleRow[] {
  return rows.filter(
    ({ validFrom, validTo }) => (!validFrom || validFrom <= day) && (!validTo || day <= validTo),
  );
}

/** ["จ.–ศ. 08:30–12:00, 13:00–16:00", "ส. 09:00–12:00"]: groups days with the same hours. */
export function hoursText(t: Messages, rows: readonly ScheduleRow[], today: string): string[] {
  if (rows.length === 0) return [t.service.noHours];
  const valid = validOn(rows, today);
  if (valid.length === 0) return [t.service.closedNow];
  const times = (weekday: number) =>
    valid
      .filter((row) => row.weekday === weekday)
      .map(({ startTime, endTime }) => `${startTime}–${endTime}`)
      .sort()
      .join(', ');
  const hours = [...new Set(WEEK.map(times))].filter((text) => text !== '');
  return hours.map(
    (text) =>
      `${daysText(
        t,
        WEEK.filter((day) => times(day) === text),
      )} ${text}`,
  );
}

/** [1, 2, 3, 5] → "จ.–พ., ศ.", in the order of the week. */
function daysText(t: Messages, days: number[]): string {
  if (days.length === WEEK.length) return t.service.everyDay;
  const runs: number[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    const follows = run && WEEK.indexOf(day) === WEEK.indexOf(run.at(-1) ?? -1) + 1;
    if (run && follows) run.push(day);
    else runs.push([day]);
  }
  const name = (day: number | undefined) => t.service.weekdays[day ?? 0];
  return runs
    .map((run) => (run.length > 2 ? `${name(run[0])}–${name(run.at(-1))}` : run.map(name).join(', ')))
    .join(', ');
}
