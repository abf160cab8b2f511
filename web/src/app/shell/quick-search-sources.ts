import { api, call } from '@/api/client';
import type { Requirement } from '@/app/permissions';
import type { Patient } from '@/features/patient/api';
import type { Messages } from '@/i18n/th';

/** One thing that was found. A new kind gets its row in quick-search-hit.tsx. */
export type Hit = { kind: 'patient'; key: string; patient: Patient };

/** Something that can be searched from the top bar. */
export interface Source {
  key: string;
  /** One of these is needed for it to be asked at all. */
  needs: Requirement;
  title: (t: Messages) => string;
  /** Best first. */
  find: (text: string, signal: AbortSignal) => Promise<Hit[]>;
}

/** More than fit on the screen would have to be read; another letter is faster. */
const PATIENTS = 12;

/** What is searched, in the order in which it is shown. */
export const SOURCES: Source[] = [
  {
    key: 'patients',
    needs: ['PATIENT.SHOW'],
    title: (t) => t.quickSearch.patients,
    find: async (q, signal) => {
      const body = { q, limit: PATIENTS };
      const patients = await call(api.POST('/admin/api/v1/patients/search', { body, signal }));
      return patients.map((patient) => ({ kind: 'patient', key: `patient-${patient.id}`, patient }));
    },
  },
];
