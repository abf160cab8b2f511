import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type Appointment = Schemas['Appointment'];
export type AppointmentDetails = Schemas['AppointmentDetails'];
export type AppointmentFilter = Schemas['AppointmentFilter'];
export type AppointmentChange = Schemas['AppointmentChange'];
export type AppointmentStatus = Schemas['AppointmentStatus'];
export type AppointmentKind = Schemas['AppointmentKind'];
export type Channel = Schemas['Channel'];
export type Priority = Schemas['Priority'];
export type BookingInput = Schemas['BookingInput'];
export type SeriesInput = Schemas['SeriesInput'];
export type SeriesBooked = Schemas['SeriesBooked'];
export type HistoryEntry = Schemas['HistoryEntry'];
export type Service = Schemas['Service'];
export type DaySlots = Schemas['DaySlots'];
export type Slot = Schemas['Slot'];
export type SlotState = Schemas['SlotState'];
export type StatusGroup = Schemas['StatusGroup'];
export type PatientRecord = Schemas['PatientRecord'];
export type BulkMarked = Schemas['BulkMarked'];
export type Calendar = Schemas['Calendar'];
export type CalendarQuery = Schemas['CalendarQuery'];
export type DayLoad = Schemas['DayLoad'];
export type ServiceDay = Schemas['ServiceDay'];

export const KINDS: AppointmentKind[] = ['NEW', 'FOLLOW_UP', 'WALK_IN', 'TELE', 'REFER'];
export const CHANNELS: Channel[] = ['STAFF', 'PHONE', 'LINE', 'APP', 'WALK_IN'];
export const PRIORITIES: Priority[] = ['ROUTINE', 'URGENT'];

/** Seats and appointments change together, so one change refreshes both. */
const APPOINTMENTS = ['appointment'];
export const appointmentKeys = {
  all: APPOINTMENTS,
  slots: [...APPOINTMENTS, 'slots'],
  one: (id: number) => [...APPOINTMENTS, 'one', id],
};

export const patientQuery = (id: number) =>
  queryOptions({
    queryKey: ['patient', 'one', id],
    queryFn: ({ signal }) =>
      call(api.GET('/admin/api/v1/patients/{id}', { params: { path: { id } }, signal })),
  });

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
    queryKey: [...APPOINTMENTS, 'list', filter],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1/appointment/list', { body: filter, signal })),
    placeholderData: keepPreviousData,
  });

export const appointmentQuery = (id: number) =>
  queryOptions({
    queryKey: appointmentKeys.one(id),
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1/appointment/details', { body: { id }, signal })),
    staleTime: 0,
  });

/**
 * How full the days of a period are and, where asked for, who comes. Another filter over the same days keeps the last answer
 * until its own is there; other days never stand under a new title.
 */
export const calendarQuery = (ask: CalendarQuery) =>
  queryOptions({
    queryKey: [...APPOINTMENTS, 'calendar', ask],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1/appointment/calendar-list', { body: ask, signal })),
    placeholderData: (last: Calendar | undefined, query) => {
      const before = query?.queryKey[2] as CalendarQuery | undefined;
      const sameDays = before?.dateFrom === ask.dateFrom && before?.dateTo === ask.dateTo;
      return sameDays && before?.includeSlots === ask.includeSlots ? last : undefined;
    },
  });

/** Who waits for a seat, in the order in which they asked. */
export const waitlistQuery = (serviceId: number, date: string, startTime: string) =>
  queryOptions({
    queryKey: [...APPOINTMENTS, 'waitlist', serviceId, date, startTime],
    queryFn: ({ signal }) =>
      call(api.POST('/admin/api/v1/appointment/waitlist', { body: { serviceId, date, startTime }, signal })),
    staleTime: 0,
  });

export function book(body: BookingInput) {
  return call(api.POST('/admin/api/v1/appointment/create', { body }));
}

export function bookSeries(body: SeriesInput) {
  return call(api.POST('/admin/api/v1/appointment/create-series', { body }));
}

/** What a series would book; nothing is booked. */
export function previewSeries(body: SeriesInput) {
  return call(api.POST('/admin/api/v1/appointment/create-series', { body: { ...body, preview: true } }));
}

export function updateAppointment(body: AppointmentChange) {
  return call(api.POST('/admin/api/v1/appointment/update', { body }));
}

export interface Mark {
  id: number;
  version?: number;
  status: AppointmentStatus;
  reason?: string;
}

/** The server answers with the appointment when one is marked, with counts when several are. */
export async function markStatus(body: Mark): Promise<Appointment> {
  return (await call(api.POST('/admin/api/v1/appointment/mark-status', { body }))) as Appointment;
}

export async function markSeveral(
  ids: number[],
  status: AppointmentStatus,
  reason: string,
): Promise<BulkMarked> {
  const body = { ids, status, reason };
  return (await call(api.POST('/admin/api/v1/appointment/mark-status', { body }))) as BulkMarked;
}

export function undoStatus(id: number, version: number) {
  return call(api.POST('/admin/api/v1/appointment/undo-status', { body: { id, version } }));
}

export function deleteAppointment(id: number) {
  return call(api.DELETE('/admin/api/v1/appointment/delete/{id}', { params: { path: { id } } }));
}
