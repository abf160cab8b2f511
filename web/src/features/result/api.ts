import { queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';
import type { AppointmentDetails, DaySlots } from '@/entities/appointment/api';
import { uploadFile } from '@/ui/upload';

type Schemas = components['schemas'];
export type Result = Schemas['Result'];
type ResultType = Schemas['ResultType'];

export const RESULT_TYPES = ['DIAGNOSIS', 'LAB', 'XRAY', 'DOCUMENT'] as const satisfies ResultType[];

/** All queries about results; app/live-keys refetches them when their appointment changes. */
const RESULTS = ['result'];
export const resultKeys = { all: RESULTS, patient: [...RESULTS, 'patient'] };

/**
 * The results of the patient's visits, latest first. The key contains the appointment's id, so that a change of it
 * refreshes them.
 */
export const patientResultsQuery = (patientId: number, appointmentId: number) =>
  queryOptions({
    queryKey: [...resultKeys.patient, patientId, appointmentId],
    queryFn: ({ signal }) =>
      call(
        api.POST('/admin/api/v1/appointment-results/list', {
          body: { patientId, page: 1, pageSize: 50, sort: '-date' },
          signal,
        }),
      ),
  });

interface NewResult {
  type: ResultType;
  diagnosis: string;
  icd10: string[];
  advice: string;
  followUpDate: string | null;
}

interface Sending {
  file: File | null;
  signal: AbortSignal;
  onProgress: (share: number) => void;
}

export function recordResult(
  appointmentId: number,
  { type, diagnosis, icd10, advice, followUpDate }: NewResult,
  { file, signal, onProgress }: Sending,
): Promise<Result> {
  if (!file) {
    return call(
      api.POST('/admin/api/v1/appointment-results/create', {
        body: { appointmentId, type, diagnosis, icd10, advice, followUpDate },
        signal,
      }),
    );
  }
  return uploadFile<Result>({
    path: `/admin/api/v1/appointment/result/create/${appointmentId}`,
    file,
    name: file.name,
    texts: { type, diagnosis, icd10: icd10.join(','), advice, followUpDate: followUpDate ?? '' },
    signal,
    onProgress,
  });
}

export function deleteResult(id: number, reason: string) {
  return call(
    api.DELETE('/admin/api/v1/appointment-results/delete/{id}', {
      params: { path: { id }, query: { reason } },
    }),
  );
}

export const filePath = (id: number) => `/admin/api/v1/appointment-results/file/${id}`;

export async function openDays(serviceId: number, dateFrom: string, dateTo: string): Promise<DaySlots[]> {
  const body = { serviceId, dateFrom, dateTo, kind: 'FOLLOW_UP' as const };
  const { days } = await call(api.POST('/admin/api/v1/appointment-time-slots/check-time-slots', { body }));
  return days;
}

/** Books the next visit for the same patient and service. */
export function bookFollowUp(
  { id, patientId, serviceId, staffId }: AppointmentDetails,
  seat: { date: string; startTime: string },
) {
  return call(
    api.POST('/admin/api/v1/appointment/create', {
      body: {
        patientId,
        serviceId,
        ...seat,
        ...(staffId && { staffId }),
        kind: 'FOLLOW_UP',
        followUpOfId: id,
      },
    }),
  );
}
