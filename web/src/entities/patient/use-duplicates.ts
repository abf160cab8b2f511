import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { ApiError } from '@/api/error';
import { digitsOf } from '@/lib/thai-text';
import { type Patient, patientsByIdCardQuery } from './api';
import type { PatientForm } from './patient-form-context';

/**
 * Handles the duplicates that the server reports for a save. Patients with the same name and birth date (`candidates`)
 * must be confirmed before the save is repeated. An ID card that is already registered is shown at its input, with its
 * patient.
 */
export function useDuplicates(form: PatientForm) {
  const queryClient = useQueryClient();
  const confirmed = useRef(false);
  const [candidates, setCandidates] = useState<Patient[] | null>(null);
  return {
    candidates,
    close: () => setCandidates(null),
    /** To be sent with the request. */
    confirmation: () => (confirmed.current ? { confirmDuplicate: true } : {}),
    /** Returns true if the error reports duplicates. */
    onError: (failure: unknown) => {
      const same = candidatesOf(failure, 'POSSIBLE_DUPLICATE');
      if (same) setCandidates(same);
      const registered = candidatesOf(failure, 'DUPLICATE');
      const card = digitsOf(form.getValues().idCard);
      if (registered?.length) queryClient.setQueryData(patientsByIdCardQuery(card).queryKey, registered);
      return same !== null;
    },
    /** Sends the form without earlier confirmations. */
    submit: (onSubmit: Submit) => (event?: FormEvent<HTMLFormElement>) => {
      confirmed.current = false;
      onSubmit(event);
    },
    /** Submits again although there are similar patients. */
    confirm: (onSubmit: Submit) => () => {
      setCandidates(null);
      confirmed.current = true;
      onSubmit();
    },
  };
}

type Submit = (event?: FormEvent<HTMLFormElement>) => void;

/** The similar patients named in the error, or null for any other error. */
function candidatesOf(failure: unknown, code: string): Patient[] | null {
  if (!(failure instanceof ApiError) || failure.code !== code) return null;
  return (failure.details.candidates as Patient[] | undefined) ?? [];
}
