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

/** The full ID card number; the server logs the user and the reason. */
export function revealIdCard(id: number, reason: string) {
  return call(api.POST('/admin/api/v1/patients/reveal-id-card', { body: { id, reason } }));
}

/** How many appointments a timeline shows; the list has the rest. */
const TIMELINE = 50;

/** A patient's appointments, the newest first. The key is that of appointments, so that one change invalidates both. */
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
