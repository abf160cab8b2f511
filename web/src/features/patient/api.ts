import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type Patient = Schemas['Patient'];
export type PatientRecord = Schemas['PatientRecord'];
export type PatientFilter = Schemas['PatientFilter'];
export type NewPatient = Schemas['NewPatient'];
export type PatientChange = Schemas['PatientChange'];

/** Everything about patients, so that one change refreshes every list it may show in. */
const PATIENTS = ['patient'];
export const patientKeys = { all: PATIENTS, one: (id: number) => [...PATIENTS, 'one', id] };

export const patientQuery = (id: number) =>
  queryOptions({
    queryKey: patientKeys.one(id),
    queryFn: ({ signal }) =>
      call(api.GET('/admin/api/v1/patients/{id}', { params: { path: { id } }, signal })),
  });

export const patientListQuery = (filter: PatientFilter) =>
  queryOptions({
    queryKey: [...PATIENTS, 'list', filter],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1/patients/list', { body: filter, signal })),
    placeholderData: keepPreviousData,
  });

/** Best first; `q` is whatever a clerk types: a name, HN, phone or ID card. */
export const patientSearchQuery = (q: string, limit = 20) =>
  queryOptions({
    queryKey: [...PATIENTS, 'search', q, limit],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1/patients/search', { body: { q, limit }, signal })),
    placeholderData: keepPreviousData,
  });

/** The patients with this ID card number, all thirteen digits. Not refetched by itself: each search is audited. */
export const patientsByIdCardQuery = (idCard: string) =>
  queryOptions({
    queryKey: [...PATIENTS, 'id-card', idCard],
    queryFn: ({ signal }) =>
      call(api.POST('/admin/api/v1/patients/list-id-card', { body: { idCard }, signal })),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export function createPatient(body: NewPatient) {
  return call(api.POST('/admin/api/v1/patients/create', { body }));
}

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
    queryKey: ['appointment', 'timeline', patientId],
    queryFn: ({ signal }) =>
      call(
        api.POST('/admin/api/v1/appointment/list', {
          body: { patientId, sort: '-date', page: 1, pageSize: TIMELINE },
          signal,
        }),
      ),
    staleTime: 0,
  });
