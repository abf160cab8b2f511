import { queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';
import { serviceKeys } from '@/entities/service/api';

type Schemas = components['schemas'];
export type ServiceInput = Schemas['ServiceInput'];
type ServiceChange = Schemas['ServiceChange'];
export type ScheduleRow = Schemas['ScheduleRow'];
export type Display = Schemas['Display'];

export function createService(body: ServiceInput) {
  return call(api.POST('/admin/api/v1/service-config/create', { body }));
}

export function updateService(body: ServiceChange) {
  return call(api.POST('/admin/api/v1/service-config/update', { body }));
}

export function deleteService(id: number) {
  return call(api.POST('/admin/api/v1/service-config/delete', { body: { id } }));
}

/** The waiting-room screens of a service. Polled, because the list shows when each was last seen. */
export const displaysQuery = (serviceId: number) =>
  queryOptions({
    queryKey: serviceKeys.displays(serviceId),
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
