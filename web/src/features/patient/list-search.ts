import { MAX_AGE, SEXES, type Sex } from '@/entities/patient/api';
import type { NameParts } from '@/entities/patient/name-from-search';
import type { Messages } from '@/i18n/th';
import { rightName } from '@/lib/right-name';
import { integer, matching, oneOf } from '@/lib/search-params';
import { textParam } from '@/ui/table-search';
import type { PatientFilter } from './api';
import { PROVINCES } from './list-provinces';

/** The server's sort fields. */
export const PATIENT_SORTS = ['hn', 'firstName', 'lastName', 'birthDate', 'createdAt', 'lastVisit'] as const;
/** The server's default order, in which an exact match of a typed number comes first. */
export const PATIENT_SORT = 'firstName';

/** The order in the address, if it is one of the patient list. */
export function patientSort(asked: string | undefined): string | undefined {
  return PATIENT_SORTS.some((field) => field === asked?.replace(/^-/, '')) ? asked : undefined;
}

/** The tabs of a patient's page. Defined here, because the address is parsed before the page is loaded. */
export const PATIENT_TABS = ['data', 'timeline'] as const;
export type PatientTab = (typeof PATIENT_TABS)[number];

const ageParam = integer(0, MAX_AGE);

/** The filters of the patient list in the address. */
export const patientFilterParams = {
  q: textParam,
  sex: oneOf(SEXES),
  right: matching((code) => /^[A-Z0-9]{2,10}$/.test(code)),
  province: oneOf(PROVINCES),
  ageFrom: ageParam,
  ageTo: ageParam,
};

export interface PatientFilters {
  q: string;
  sex?: Sex;
  right?: string;
  province?: string;
  ageFrom?: number;
  ageTo?: number;
}

export const NO_FILTERS: PatientFilters = {
  q: '',
  sex: undefined,
  right: undefined,
  province: undefined,
  ageFrom: undefined,
  ageTo: undefined,
};

/** How many filters are set, without the search text; the two ends of the age count as one. */
export function countFilters({ sex, right, province, ageFrom, ageTo }: PatientFilters): number {
  const aged = ageFrom !== undefined || ageTo !== undefined;
  return [sex, right, province, aged].filter(Boolean).length;
}

export function isFiltered(filters: PatientFilters): boolean {
  return filters.q !== '' || countFilters(filters) > 0;
}

/** The criteria of the request, without paging. */
export function criteriaOf({
  q,
  right,
  ...others
}: PatientFilters): Omit<PatientFilter, 'page' | 'pageSize'> {
  return { q: q || undefined, rightCode: right, ...others };
}

/** The filters in words, for the printed page. */
export function describeFilters(t: Messages, filters: PatientFilters): string {
  const { q, sex, right, province, ageFrom, ageTo } = filters;
  const aged = ageFrom !== undefined || ageTo !== undefined;
  return [
    q && t.patientList.searched(q),
    sex && `${t.patientList.sex} ${t.patient.sexes[sex]}`,
    right && `${t.patientList.right} ${rightName(t, right)}`,
    province && `${t.patientList.province} ${province}`,
    aged && t.patientList.ages(ageFrom, ageTo),
  ]
    .filter(Boolean)
    .join(' · ');
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The name of a patient to register, passed in the history state and not in the address. */
    register?: NameParts;
  }
}
