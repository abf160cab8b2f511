import type { AppointmentStatus } from '@/entities/appointment/api';
import { APPOINTMENT_STATUSES } from '@/entities/appointment/appointment-status';
import type { Language } from '@/i18n/language';
import { oneOf, searchParams } from '@/lib/search-params';
import {
  addDays,
  addMonths,
  firstOfMonth,
  firstOfWeek,
  formatDateRange,
  formatLongDate,
  formatMonth,
} from '@/lib/thai-date';
import { dateParam, idParam } from '@/ui/table-search';
import type { CalendarQuery } from './api';

export const VIEWS = ['month', 'week', 'day'] as const;
export type View = (typeof VIEWS)[number];

/** The search parameters of the calendar; without a date it shows today. */
export const calendarSearch = searchParams({
  view: oneOf(VIEWS, 'month'),
  date: dateParam,
  service: idParam,
  staff: idParam,
  status: oneOf(APPOINTMENT_STATUSES),
});
export type CalendarSearch = ReturnType<typeof calendarSearch.parse>;
export const CALENDAR_DEFAULTS = { view: 'month' } as const;

export type Filters = Pick<CalendarSearch, 'service' | 'staff' | 'status'>;
export const NO_FILTERS = { service: undefined, staff: undefined, status: undefined };

/** The statuses shown while none is chosen: all but cancelled. */
export const SHOWN: AppointmentStatus[] = APPOINTMENT_STATUSES.filter((one) => one !== 'CANCELLED');

/** The days that a view shows: whole weeks, from Sunday, or the one day. */
export function datesOf(view: View, date: string): string[] {
  if (view === 'day') return [date];
  const first = firstOfWeek(view === 'month' ? firstOfMonth(date) : date);
  const last = view === 'month' ? addDays(addMonths(firstOfMonth(date), 1), -1) : date;
  const dates: string[] = [];
  for (let day = first; day <= addDays(firstOfWeek(last), 6); day = addDays(day, 1)) dates.push(day);
  return dates;
}

/** The date of the next or previous month, week or day. */
export function turned(view: View, date: string, pages: 1 | -1): string {
  if (view === 'month') return addMonths(firstOfMonth(date), pages);
  return addDays(date, pages * (view === 'week' ? 7 : 1));
}

/** 'พฤศจิกายน 2569', '15–21 พ.ย. 2569', 'วันจันทร์ที่ 16 พฤศจิกายน 2569'. */
export function titleOf(view: View, date: string, language: Language): string {
  if (view === 'month') return formatMonth(date, language);
  if (view === 'day') return formatLongDate(date, language);
  const dates = datesOf('week', date);
  return formatDateRange(dates[0] ?? date, dates.at(-1) ?? date, language);
}

/**
 * calendarAsk converts the search to the server's query. A month requests counts only. A week or a day also requests
 * the appointments if the user may see names; without names the staff and status filters do not apply.
 */
export function calendarAsk(
  { view, service, staff, status }: CalendarSearch,
  date: string,
  names: boolean,
): CalendarQuery {
  const dates = datesOf(view, date);
  const days = { dateFrom: dates[0], dateTo: dates.at(-1), serviceIds: service ? [service] : undefined };
  if (view === 'month') return { ...days, statuses: status && [status] };
  if (!names) return { ...days, includeSlots: true };
  return {
    ...days,
    statuses: status ? [status] : SHOWN,
    staffId: staff,
    includeAppointments: true,
    includeSlots: true,
  };
}
