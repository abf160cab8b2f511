import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';
import { appointmentKeys } from '@/entities/appointment/api';
import { type PatientChange, patientKeys } from '@/entities/patient/api';

type Schemas = components['schemas'];
export type PatientFilter = Schemas['PatientFilter'];

export const patientListQuery = (filter: PatientFilter) =>
  queryOptions({
    queryKey: [...patientKeys.list, filter],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1/patients/list', { body: filter, signal })),
    placeholderData: keepPreviousData,
  });

export function updatePatient(body: PatientChange) {
  return call(api.POST('/admin/api/v1/patients/update', { body }));
}

export function deletePatient(id: number, reason: string) {
  return call(api.POST('/admin/api/v1/patients/delete', { body: { id, reason } }));
}

/** The whole ID card; the server writes down who asked, and why. */
export function revealIdCard(id: number, reason: string) {
  return call(api.POST('/admin/api/v1/patients/reveal-id-card', { body: { id, reason } }));
}

/** As many appointments as a timeline shows; the list has the rest. */
const TIMELINE = 50;

/** A patient's appointments, the newest first. Kept with the appointments, so that one change refreshes both. */
export const patientTimelineQuery = (patientId: number) =>
  queryOptions({
    queryKey: [...appointmentKeys.timeline, patientId],
    queryFn: ({ signal }) =>
      call(
        api.POST('/admin/api/v1/appointment/list', {
          body: { patientId, sort: '-date', page: 1, pageSize: TIMELINE },
          signal,
        }),
      ),
    staleTime: 0,
  });
