import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type Patient = Schemas['Patient'];
export type PatientRecord = Schemas['PatientRecord'];
export type NewPatient = Schemas['NewPatient'];
export type PatientChange = Schemas['PatientChange'];

/** All queries about patients, so that one change refreshes every list it may show in. */
const PATIENTS = ['patient'];
export const patientKeys = {
  all: PATIENTS,
  one: (id: number) => [...PATIENTS, 'one', id],
  list: [...PATIENTS, 'list'],
};

export const SEXES = ['M', 'F', 'U'] as const;
export type Sex = (typeof SEXES)[number];

/** The highest age in years, as on the server. */
export const MAX_AGE = 130;

export const patientQuery = (id: number) =>
  queryOptions({
    queryKey: patientKeys.one(id),
    queryFn: ({ signal }) =>
      call(api.GET('/admin/api/v1/patients/{id}', { params: { path: { id } }, signal })),
  });

/** Best match first; `q` is a name, HN, phone number or ID card number. */
export const patientSearchQuery = (q: string, limit = 20) =>
  queryOptions({
    queryKey: [...PATIENTS, 'search', q, limit],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1/patients/search', { body: { q, limit }, signal })),
    placeholderData: keepPreviousData,
  });

/** The patients with this ID card number, all thirteen digits. Not refetched automatically: each search is audited. */
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
