import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type ScheduleRow = Schemas['ScheduleRow'];
export type Closure = Schemas['Closure'];
export type ClosureFields = Schemas['ClosureFields'];
export type ClosureKind = Schemas['ClosureKind'];
export type CapacityChange = Schemas['CapacityChange'];
export type CapacityWas = Schemas['CapacityWas'];
export type Move = Schemas['Move'];
export type SlotTime = Schemas['Time'];

/** The keys of all queries of this feature, so that a change can invalidate all of them. */
const SCHEDULE = ['schedule'];
export const scheduleKeys = {
  all: SCHEDULE,
  slots: [...SCHEDULE, 'slots'],
  closures: [...SCHEDULE, 'closures'],
};

/** The slots of a service in a date range, with their state for a walk-in or for any other booking. */
export const slotsQuery = (serviceId: number, dateFrom: string, dateTo: string, walkIn = false) =>
  queryOptions({
    queryKey: [...scheduleKeys.slots, serviceId, dateFrom, dateTo, walkIn],
    queryFn: async ({ signal }) => {
      const body = { serviceId, dateFrom, dateTo, ...(walkIn && { kind: 'WALK_IN' as const }) };
      const { days } = await call(
        api.POST('/admin/api/v1/appointment-time-slots/check-time-slots', { body, signal }),
      );
      return { serviceId, days };
    },
    placeholderData: keepPreviousData,
  });

/** The closures that overlap a period: all of them, or those of one service and of the whole hospital. */
export const closuresQuery = (dateFrom: string, dateTo: string, serviceId?: number) =>
  queryOptions({
    queryKey: [...scheduleKeys.closures, dateFrom, dateTo, serviceId ?? 0],
    queryFn: ({ signal }) => {
      const body = { dateFrom, dateTo, serviceId };
      return call(api.POST('/admin/api/v1/service-config/closures/list', { body, signal }));
    },
    placeholderData: keepPreviousData,
  });

/** The appointments in an existing or planned closure. */
export const affectedQuery = (closure: { id: number } | Omit<ClosureFields, 'reason'>) =>
  queryOptions({
    queryKey: [...SCHEDULE, 'affected', closure],
    queryFn: ({ signal }) =>
      call(api.POST('/admin/api/v1/service-config/closures/affected', { body: closure, signal })),
    staleTime: 0,
  });

export function updateCapacity(body: CapacityChange) {
  return call(api.POST('/admin/api/v1/appointment-time-slots/update-capacity', { body }));
}

export function updateHours(body: { id: number; version: number; schedule: ScheduleRow[] }) {
  return call(api.POST('/admin/api/v1/service-config/update', { body }));
}

export function createClosure(body: ClosureFields) {
  return call(api.POST('/admin/api/v1/service-config/closures/create', { body }));
}

export function deleteClosure(id: number) {
  return call(api.POST('/admin/api/v1/service-config/closures/delete', { body: { id } }));
}

/** New times for all appointments in a closure; the times in `moves` are not changed. */
export function previewMoves(id: number, moves: Pick<Move, 'appointmentId' | 'to'>[]) {
  return call(api.POST('/admin/api/v1/service-config/closures/move', { body: { id, preview: true, moves } }));
}

/** Moves all appointments or none. */
export function applyMoves(id: number, moves: Pick<Move, 'appointmentId' | 'to'>[]) {
  return call(api.POST('/admin/api/v1/service-config/closures/move', { body: { id, moves } }));
}
