import { queryOptions } from '@tanstack/react-query';
import { api, call } from './client';

/** What people choose from on many screens, asked for and kept once. A change of a service is told live (app/live-keys). */
const KEPT_MS = 60_000;

/** Everything about services, so that one change refreshes every list it may show in. */
export const serviceKeys = { all: ['service'] };

/** The services that take bookings, in the hospital's order. */
export const servicesQuery = queryOptions({
  queryKey: [...serviceKeys.all, 'open'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1/service-config/list', { signal })),
  staleTime: KEPT_MS,
});

/** Those that take no bookings any more, too: people may still be booked there, or were. */
export const allServicesQuery = queryOptions({
  queryKey: [...serviceKeys.all, 'all'],
  queryFn: ({ signal }) =>
    call(api.GET('/admin/api/v1/service-config/list', { params: { query: { all: true } }, signal })),
  staleTime: KEPT_MS,
});

/** Who can be assigned. */
export const staffQuery = queryOptions({
  queryKey: ['user', 'choices'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1.0/user-admin/list', { signal })),
  staleTime: KEPT_MS,
});

/** All permissions with their names, in the order of the role matrix. They change only with the server version. */
export const permissionsCatalogueQuery = queryOptions({
  queryKey: ['role', 'permissions'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1/role/permissions', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});
