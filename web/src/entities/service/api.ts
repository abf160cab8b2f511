import { queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

export type Service = components['schemas']['Service'];

/** Services rarely change, and a change arrives as an event (app/live-keys). */
const STALE_MS = 60_000;

/** All queries about services, so that one change refreshes every list it may show in. */
const SERVICES = ['service'];
export const serviceKeys = { all: SERVICES, displays: (id: number) => [...SERVICES, 'displays', id] };

/** The services that take bookings, in the hospital's order. */
export const servicesQuery = queryOptions({
  queryKey: [...SERVICES, 'open'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1/service-config/list', { signal })),
  staleTime: STALE_MS,
});

/** All services, including those that take no bookings any more: appointments may refer to them. */
export const allServicesQuery = queryOptions({
  queryKey: [...SERVICES, 'all'],
  queryFn: ({ signal }) =>
    call(api.GET('/admin/api/v1/service-config/list', { params: { query: { all: true } }, signal })),
  staleTime: STALE_MS,
});
