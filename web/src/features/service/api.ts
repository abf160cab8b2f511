import { queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type Service = Schemas['Service'];
export type ServiceInput = Schemas['ServiceInput'];
export type ServiceChange = Schemas['ServiceChange'];
export type ScheduleRow = Schemas['ScheduleRow'];
export type Display = Schemas['Display'];

/** Everything about services, so that one change refreshes every list it may show in. */
const SERVICES = ['service'];
export const serviceKeys = { all: SERVICES };

/** Every service in the hospital's order, those that take no bookings included. */
export const allServicesQuery = queryOptions({
  queryKey: [...SERVICES, 'all'],
  queryFn: ({ signal }) =>
    call(api.GET('/admin/api/v1/service-config/list', { params: { query: { all: true } }, signal })),
});

/** Who can be assigned. */
export const staffQuery = queryOptions({
  queryKey: ['user', 'choices'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1.0/user-admin/list', { signal })),
});

export function createService(body: ServiceInput) {
  return call(api.POST('/admin/api/v1/service-config/create', { body }));
}

export function updateService(body: ServiceChange) {
  return call(api.POST('/admin/api/v1/service-config/update', { body }));
}

export function deleteService(id: number) {
  return call(api.POST('/admin/api/v1/service-config/delete', { body: { id } }));
}

/** The waiting-room screens of a service. Asked again: when each was seen last is shown. */
export const displaysQuery = (serviceId: number) =>
  queryOptions({
    queryKey: [...SERVICES, 'displays', serviceId],
    queryFn: ({ signal }) =>
      call(api.POST('/admin/api/v1/service-config/displays/list', { body: { serviceId }, signal })),
    staleTime: 0,
    refetchInterval: 15_000,
  });

export function createDisplay(serviceId: number, label: string) {
  return call(api.POST('/admin/api/v1/service-config/displays/create', { body: { serviceId, label } }));
}

export function deleteDisplay(id: number) {
  return call(api.POST('/admin/api/v1/service-config/displays/delete', { body: { id } }));
}
