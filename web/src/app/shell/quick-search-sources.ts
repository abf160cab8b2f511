import { api, call } from '@/api/client';
import type { Appointment } from '@/entities/appointment/api';
import type { Patient } from '@/entities/patient/api';
import type { Requirement } from '@/entities/session/permissions';
import type { Messages } from '@/i18n/th';
import { arabicDigits } from '@/lib/thai-text';

/** A search result. A new kind needs its row in quick-search-hit.tsx. */
export type Hit =
  | { kind: 'patient'; key: string; patient: Patient }
  | { kind: 'appointment'; key: string; appointment: Appointment };

/** A kind of record that the quick search can find. */
export interface Source {
  key: string;
  /** One of these permissions is needed to search this source. */
  needs: Requirement;
  title: (t: Messages) => string;
  /** Best first. */
  find: (text: string, signal: AbortSignal) => Promise<Hit[]>;
}

/** Typing another letter is faster than reading a longer list. */
const PATIENTS = 12;
const APPOINTMENTS = 5;

/** Searches appointments by number only; names are found among the patients. */
const looksLikeNumber = (text: string) => /^[a-z]{0,4}[-/]?[\d๐-๙]{3}[\d๐-๙\-/]*$/i.test(text);

/** The sources in the order of their results. */
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
  {
    key: 'appointments',
    needs: ['APPOINTMENT.UPDATE', 'APPOINTMENT.MARK_STATUS'],
    title: (t) => t.quickSearch.appointments,
    find: async (q, signal) => {
      if (!looksLikeNumber(q)) return [];
      const body = { q, limit: APPOINTMENTS };
      const found = await call(api.POST('/admin/api/v1/appointment/search', { body, signal }));
      const typed = arabicDigits(q).toUpperCase();
      return found
        .filter(({ number }) => number.startsWith(typed))
        .map((appointment) => ({ kind: 'appointment', key: `appointment-${appointment.id}`, appointment }));
    },
  },
];
