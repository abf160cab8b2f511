import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError } from '@/api/error';
import { digitsOf } from '@/lib/thai-text';
import { useFormSubmit } from '@/ui/use-form-submit';
import { createPatient, type NewPatient, type Patient, patientKeys, patientsByIdCardQuery } from './api';
import type { PatientForm } from './form-context';
import type { PatientValues } from './patient-values';

/** Those whom the new patient may be, from a refusal; null for any other failure. */
export function candidatesOf(failure: unknown, code: string): Patient[] | null {
  if (!(failure instanceof ApiError) || failure.code !== code) return null;
  return (failure.details.candidates as Patient[] | undefined) ?? [];
}

/**
 * Registers what the form holds. Somebody with the same name and birth date is asked about first (`candidates`); a card
 * that is registered already shows whose it is at its input.
 */
export function useRegistration(
  form: PatientForm,
  {
    fields,
    onCreated,
  }: { fields: (values: PatientValues) => NewPatient; onCreated: (patient: Patient) => unknown },
) {
  const queryClient = useQueryClient();
  const confirmed = useRef(false);
  const [candidates, setCandidates] = useState<Patient[] | null>(null);
  const submission = useFormSubmit(form, {
    send: (values) =>
      createPatient({ ...fields(values), ...(confirmed.current && { confirmDuplicate: true }) }),
    onSuccess: (patient) => {
      void queryClient.invalidateQueries({ queryKey: patientKeys.all });
      return onCreated(patient);
    },
    onError: (failure) => {
      const same = candidatesOf(failure, 'POSSIBLE_DUPLICATE');
      if (same) setCandidates(same);
      rememberCardHolder(failure);
      return same !== null;
    },
  });
  const rememberCardHolder = (failure: unknown) => {
    const holders = candidatesOf(failure, 'DUPLICATE');
    const card = digitsOf(form.getValues().idCard);
    if (holders?.length) queryClient.setQueryData(patientsByIdCardQuery(card).queryKey, holders);
  };
  const submit: typeof submission.onSubmit = (event) => {
    confirmed.current = false;
    submission.onSubmit(event);
  };
  return {
    ...submission,
    onSubmit: submit,
    candidates,
    closeCandidates: () => setCandidates(null),
    registerAnyway: () => {
      setCandidates(null);
      confirmed.current = true;
      submission.onSubmit();
    },
  };
}
