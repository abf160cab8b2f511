import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type Appointment = Schemas['Appointment'];
export type AppointmentDetails = Schemas['AppointmentDetails'];
export type AppointmentFilter = Schemas['AppointmentFilter'];
export type AppointmentChange = Schemas['AppointmentChange'];
export type AppointmentStatus = Schemas['AppointmentStatus'];
export type BookingInput = Schemas['BookingInput'];
export type SeriesInput = Schemas['SeriesInput'];
export type SeriesBooked = Schemas['SeriesBooked'];
export type HistoryEntry = Schemas['HistoryEntry'];
export type DaySlots = Schemas['DaySlots'];
export type Slot = Schemas['Slot'];
export type SlotState = Schemas['SlotState'];
export type StatusGroup = Schemas['StatusGroup'];

export const KINDS = [
  'NEW',
  'FOLLOW_UP',
  'WALK_IN',
  'TELE',
  'REFER',
] as const satisfies Schemas['AppointmentKind'][];
export const CHANNELS = ['STAFF', 'PHONE', 'LINE', 'APP', 'WALK_IN'] as const satisfies Schemas['Channel'][];
export const PRIORITIES = ['ROUTINE', 'URGENT'] as const satisfies Schemas['Priority'][];

/** The longest texts, in characters, as on the server. */
export const MAX_REASON = 500;
export const MAX_NOTE = 2000;
export const MAX_OVERBOOK_REASON = 300;

/** Seats and appointments change together, so a change refreshes both. */
const APPOINTMENTS = ['appointment'];
export const appointmentKeys = {
  all: APPOINTMENTS,
  list: [...APPOINTMENTS, 'list'],
  calendar: [...APPOINTMENTS, 'calendar'],
  one: [...APPOINTMENTS, 'one'],
  slots: [...APPOINTMENTS, 'slots'],
  waitlist: [...APPOINTMENTS, 'waitlist'],
  timeline: [...APPOINTMENTS, 'timeline'],
};

/** Slots are refetched regularly, because their state also depends on the time. */
const SLOTS_REFETCH_MS = 60_000;

/**
 * The slots of a service in a date range, with their state for a walk-in or for any other booking. Never fresh, since
 * seats go fast. After a switch of `walkIn`, the previous response for the same days is shown until the new one
 * arrives.
 */
export const slotsQuery = (serviceId: number, dateFrom: string, dateTo: string, walkIn: boolean) =>
  queryOptions({
    queryKey: [...appointmentKeys.slots, serviceId, dateFrom, dateTo, walkIn],
    queryFn: ({ signal }) =>
      call(
        api.POST('/admin/api/v1/appointment-time-slots/check-time-slots', {
          body: { serviceId, dateFrom, dateTo, ...(walkIn && { kind: 'WALK_IN' }) },
          signal,
        }),
      ),
    select: ({ days }) => days,
    staleTime: 0,
    refetchInterval: SLOTS_REFETCH_MS,
    placeholderData: (last: { days: DaySlots[] } | undefined, query) => {
      const [, , service, from, to] = query?.queryKey ?? [];
      return service === serviceId && from === dateFrom && to === dateTo ? last : undefined;
    },
  });

export const appointmentListQuery = (filter: AppointmentFilter) =>
  queryOptions({
    queryKey: [...appointmentKeys.list, filter],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1/appointment/list', { body: filter, signal })),
    placeholderData: keepPreviousData,
  });

export const appointmentQuery = (id: number) =>
  queryOptions({
    queryKey: [...appointmentKeys.one, id],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1/appointment/details', { body: { id }, signal })),
    staleTime: 0,
  });

/** The waiting list of a slot, oldest first. */
export const waitlistQuery = (serviceId: number, date: string, startTime: string) =>
  queryOptions({
    queryKey: [...appointmentKeys.waitlist, serviceId, date, startTime],
    queryFn: ({ signal }) =>
      call(api.POST('/admin/api/v1/appointment/waitlist', { body: { serviceId, date, startTime }, signal })),
    staleTime: 0,
  });

export function updateAppointment(body: AppointmentChange) {
  return call(api.POST('/admin/api/v1/appointment/update', { body }));
}

export interface Mark {
  id: number;
  version?: number;
  status: AppointmentStatus;
  reason?: string;
}

/** markStatus sets the status of one appointment. The endpoint returns counts for several ids. */
export async function markStatus(body: Mark): Promise<Appointment> {
  return (await call(api.POST('/admin/api/v1/appointment/mark-status', { body }))) as Appointment;
}

export function undoStatus(id: number, version: number) {
  return call(api.POST('/admin/api/v1/appointment/undo-status', { body: { id, version } }));
}
