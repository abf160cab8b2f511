import { useQueryClient } from '@tanstack/react-query';
import { useFormSubmit } from '@/ui/use-form-submit';
import { createPatient, type NewPatient, type Patient, patientKeys } from './api';
import type { PatientForm } from './patient-form-context';
import type { PatientValues } from './patient-values';
import { useDuplicates } from './use-duplicates';

/** Registers the patient in the form, after confirming possible duplicates (`candidates`). */
export function useRegistration(
  form: PatientForm,
  {
    fields,
    onCreated,
  }: { fields: (values: PatientValues) => NewPatient; onCreated: (patient: Patient) => unknown },
) {
  const queryClient = useQueryClient();
  const duplicates = useDuplicates(form);
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: (values) => createPatient({ ...fields(values), ...duplicates.confirmation() }),
    onSuccess: (patient) => {
      void queryClient.invalidateQueries({ queryKey: patientKeys.all });
      return onCreated(patient);
    },
    onError: duplicates.onError,
  });
  return {
    pending,
    error,
    onSubmit: duplicates.submit(onSubmit),
    candidates: duplicates.candidates,
    closeCandidates: duplicates.close,
    registerAnyway: duplicates.confirm(onSubmit),
  };
}
