import { type AppointmentFilter, CHANNELS, KINDS, type StatusGroup } from '@/entities/appointment/api';
import { APPOINTMENT_STATUSES } from '@/entities/appointment/appointment-status';
import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { oneOf, searchParams } from '@/lib/search-params';
import { addDays, formatDate, hospitalToday, weekdayOf } from '@/lib/thai-date';
import { dateParam, idParam, pageParam, pageSizeParam, sortParam, textParam } from '@/ui/table-search';

/** The server's sort fields. Sorted by queue, finished visits come last. */
export const SORTS = ['turn', 'date', 'number', 'patient', 'service', 'status', 'createdAt'] as const;
export const RANGES = ['today', 'tomorrow', 'week', 'coming', 'all', 'custom'] as const;
export type Range = (typeof RANGES)[number];

/** Sets of statuses, defined by the server: appointments that hold a seat, and patients who have not arrived yet. */
const STATUS_GROUPS = ['SEATED', 'EXPECTED'] as const satisfies StatusGroup[];
export const STATUS_CHOICES = [...APPOINTMENT_STATUSES, ...STATUS_GROUPS];

const isGroup = (choice: string): choice is (typeof STATUS_GROUPS)[number] =>
  (STATUS_GROUPS as readonly string[]).includes(choice);

/** The search parameters of the list. From and to override the range. */
export const listSearch = searchParams({
  q: textParam,
  range: oneOf(RANGES, 'today'),
  from: dateParam,
  to: dateParam,
  service: idParam,
  status: oneOf(STATUS_CHOICES),
  staff: idParam,
  channel: oneOf(CHANNELS),
  kind: oneOf(KINDS),
  patient: idParam,
  sort: sortParam(SORTS, 'turn'),
  page: pageParam,
  pageSize: pageSizeParam,
});
export type ListSearch = ReturnType<typeof listSearch.parse>;
export const LIST_DEFAULTS = { q: '', range: 'today', sort: 'turn', page: 1, pageSize: 20 } as const;

export const NO_FILTERS = {
  q: '',
  service: undefined,
  status: undefined,
  staff: undefined,
  channel: undefined,
  kind: undefined,
  patient: undefined,
};

export function rangeOf({ range, from, to }: Pick<ListSearch, 'range' | 'from' | 'to'>): Range {
  return from || to ? 'custom' : range;
}

/** First and last day of a range; a week begins on Monday. */
export function daysOf(
  search: Pick<ListSearch, 'range' | 'from' | 'to'>,
  today = hospitalToday(),
): { dateFrom?: string; dateTo?: string } {
  const monday = addDays(today, -((weekdayOf(today) + 6) % 7));
  switch (rangeOf(search)) {
    case 'today':
      return { dateFrom: today, dateTo: today };
    case 'tomorrow':
      return { dateFrom: addDays(today, 1), dateTo: addDays(today, 1) };
    case 'week':
      return { dateFrom: monday, dateTo: addDays(monday, 6) };
    case 'coming':
      return { dateFrom: today };
    case 'all':
      return {};
    case 'custom':
      return { dateFrom: search.from, dateTo: search.to };
  }
}

/** Only today has queue numbers: any other period is sorted by date unless the user has chosen a column. */
export function sortOf(search: ListSearch): string {
  return isByDate(search) ? 'date' : search.sort;
}

const isByDate = (search: ListSearch) => search.sort === 'turn' && rangeOf(search) !== 'today';

/** The criteria of the request, without paging. */
export function criteriaOf(search: ListSearch, today?: string): Omit<AppointmentFilter, 'page' | 'pageSize'> {
  const { q, service, status, staff, channel, kind, patient } = search;
  return {
    ...daysOf(search, today),
    q: q || undefined,
    serviceIds: service ? [service] : undefined,
    statuses: status && !isGroup(status) ? [status] : undefined,
    statusGroup: status && isGroup(status) ? status : undefined,
    staffId: staff,
    channel,
    kind,
    patientId: patient,
    // By date is the server's default order, in which an exact match of a typed number comes first.
    sort: isByDate(search) ? undefined : search.sort,
  };
}

/** How many filters are set, without the period and the search text. */
export function countFilters({ service, status, staff, channel, kind, patient }: ListSearch): number {
  return [service, status, staff, channel, kind, patient].filter(Boolean).length;
}

/** The period in words, for the printed page. */
export function periodText(t: Messages, language: Language, search: ListSearch, today?: string): string {
  const { dateFrom, dateTo } = daysOf(search, today);
  if (!dateFrom && !dateTo) return t.appointment.list.ranges.all;
  const day = (iso?: string) => (iso ? formatDate(iso, language) : '');
  return dateFrom === dateTo ? day(dateFrom) : `${day(dateFrom)} – ${day(dateTo)}`;
}

/** The filters in words; `names` has the names of the ids in the address. */
export function filtersText(
  t: Messages,
  { q, service, status, staff, channel, kind }: ListSearch,
  names: { service?: string; staff?: string },
): string {
  const { field, statuses, channels, kinds, list } = t.appointment;
  return [
    q && t.patientList.searched(q),
    service && names.service && `${field.serviceId} ${names.service}`,
    status && `${field.status} ${{ ...statuses, ...list.statusGroups }[status]}`,
    staff && names.staff && `${field.staffId} ${names.staff}`,
    channel && `${field.channel} ${channels[channel]}`,
    kind && `${field.kind} ${kinds[kind]}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
