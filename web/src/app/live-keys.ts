import type { QueryKey } from '@tanstack/react-query';
import type { LiveEvent } from '@/api/live-events';
import { appointmentKeys } from '@/entities/appointment/api';
import { hospitalQuery } from '@/entities/hospital/hospital';
import { serviceKeys } from '@/entities/service/api';
import { settingQuery } from '@/entities/setting/api';
import { dashboardKeys } from '@/features/dashboard/api';
import { resultKeys } from '@/features/result/api';
import { scheduleKeys } from '@/features/schedule/api';

type Kind = LiveEvent['kind'];

interface Follower {
  /** The prefix of the query key. */
  key: readonly unknown[];
  /** The kinds of events that can change the query's data. */
  kinds: Kind[];
  /** Filters the events; `rest` is the part of the query key after `key`. By default all events of the kinds match. */
  when?: (event: LiveEvent, rest: QueryKey, data: unknown) => boolean;
}

const SEATS: Kind[] = ['appointment', 'slot', 'closure', 'service'];

/**
 * Which events invalidate which queries. A query whose key starts with one of these is refetched when an event concerns
 * it, so it needs no polling. An object in the key may restrict it to days and services: dateFrom, dateTo, date,
 * serviceId, serviceIds. The moves of a closure are left out on purpose: the plan must not change while it is edited.
 */
const FOLLOWERS: Follower[] = [
  { key: appointmentKeys.list, kinds: ['appointment', 'service'], when: isWithin },
  { key: appointmentKeys.calendar, kinds: SEATS, when: isWithin },
  { key: appointmentKeys.one, kinds: ['appointment'], when: ({ id }, [one]) => one === id },
  { key: appointmentKeys.slots, kinds: SEATS, when: isInPeriod },
  { key: appointmentKeys.waitlist, kinds: ['appointment'], when: isOnDay },
  { key: appointmentKeys.timeline, kinds: ['appointment'], when: isNewOrShown },
  { key: resultKeys.all, kinds: ['appointment'], when: ({ id }, rest) => rest.includes(id) },
  { key: dashboardKeys.all, kinds: SEATS },
  { key: scheduleKeys.slots, kinds: SEATS, when: isInPeriod },
  { key: scheduleKeys.closures, kinds: ['closure'] },
  { key: serviceKeys.all, kinds: ['service'] },
  { key: settingQuery.queryKey, kinds: ['setting'] },
  { key: hospitalQuery.queryKey, kinds: ['setting'] },
];

/** isConcerned reports whether an event may have changed the data of a query. */
export function isConcerned(event: LiveEvent, queryKey: QueryKey, data: unknown): boolean {
  return FOLLOWERS.some(({ key, kinds, when }) => {
    if (!key.every((part, index) => queryKey[index] === part)) return false;
    if (event.kind === 'refetch') return true;
    return kinds.includes(event.kind) && (!when || when(event, queryKey.slice(key.length), data));
  });
}

/** isFollower reports whether a query is refetched on events at all. */
export function isFollower(queryKey: QueryKey): boolean {
  return isConcerned({ kind: 'refetch' }, queryKey, undefined);
}

/**
 * Whether an event is about the days and services of a query. The server sends an event for both the old and the new
 * slot of a move. The event of a closure has only its first day, so the day is not compared.
 */
function isWithin({ kind, date, serviceId }: LiveEvent, rest: QueryKey): boolean {
  const about = rest.find((part) => typeof part === 'object' && part !== null) as
    | { date?: string; dateFrom?: string; dateTo?: string; serviceId?: number; serviceIds?: number[] }
    | undefined;
  if (!about) return true;
  const { dateFrom = about.date, dateTo = about.date } = about;
  const services = about.serviceIds ?? (about.serviceId ? [about.serviceId] : []);
  return (kind === 'closure' || isBetween(date, dateFrom, dateTo)) && isOneOf(serviceId, services);
}

/** For query keys of the form service, first day, last day. */
function isInPeriod({ kind, date, serviceId }: LiveEvent, [service, from, to]: QueryKey): boolean {
  if (kind === 'closure') return true;
  return isOneOf(serviceId, [service as number]) && isBetween(date, from as string, to as string);
}

function isOnDay({ date, serviceId }: LiveEvent, [service, day]: QueryKey): boolean {
  return isOneOf(serviceId, [service as number]) && isBetween(date, day as string, day as string);
}

/**
 * An event does not contain the patient: a new appointment may be any patient's, an older one concerns the lists that
 * contain it.
 */
function isNewOrShown({ id, version }: LiveEvent, _: QueryKey, data: unknown): boolean {
  const { items = [] } = (data ?? {}) as { items?: { id: number }[] };
  return version === 1 || items.some((item) => item.id === id);
}

const isBetween = (date: string | undefined, from: string | undefined, to: string | undefined) =>
  !date || ((!from || date >= from) && (!to || date <= to));

const isOneOf = (service: number | undefined, services: number[]) =>
  !service || services.length === 0 || services.includes(service);
