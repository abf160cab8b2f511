import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { currentOf } from '@/api/error';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { digitsOf } from '@/lib/thai-text';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useFormSubmit } from '@/ui/use-form-submit';
import {
  type Patient,
  type PatientRecord,
  patientKeys,
  patientQuery,
  patientsByIdCardQuery,
  updatePatient,
} from './api';
import { DuplicateDialog } from './duplicate-dialog';
import { PatientFormBody } from './form-body';
import { clashingFacts, PatientConflict } from './patient-conflict';
import { changeOf, hasChanges, type PatientValues, valuesOf } from './patient-values';
import { patientLink } from './search-line';
import { useNewPatientForm } from './use-patient-form';
import { candidatesOf } from './use-registration';

/**
 * Changes a record. Only changed fields are sent. When somebody else saved in the meantime, each fact that both sides give
 * a value is asked about; where there is none, it is saved on top of theirs without a question.
 */
export function EditPatientForm({ patient }: { patient: PatientRecord }) {
  const t = useT();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  /** The record that the form's changes are counted from. */
  const base = useRef<Patient>(patient);
  const confirmed = useRef(false);
  const [conflict, setConflict] = useState<{ before: PatientValues; current: Patient } | null>(null);
  const [candidates, setCandidates] = useState<Patient[] | null>(null);
  const form = useNewPatientForm(valuesOf(patient));

  const save = async (values: PatientValues): Promise<Patient> => {
    const change = changeOf(base.current, values);
    if (!hasChanges(change)) return base.current;
    const body = confirmed.current ? { ...change, confirmDuplicate: true } : change;
    try {
      return await updatePatient(body);
    } catch (failure) {
      const theirs = currentOf<Patient>(failure);
      if (!theirs || clashingFacts(valuesOf(base.current), values, valuesOf(theirs)).length > 0)
        throw failure;
      return updatePatient({ ...body, version: theirs.version });
    }
  };
  const startFrom = (record: Patient, values = valuesOf(record)) => {
    base.current = record;
    form.setInitialValues(valuesOf(record));
    form.setValues(values);
    form.clearErrors();
  };
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: save,
    onSuccess: (changed) => {
      showDone(changed === base.current ? t.patient.unchanged : t.patient.saved(fullName(changed)));
      startFrom(changed);
      queryClient.setQueryData(
        patientQuery(changed.id).queryKey,
        (known) => known && { ...known, ...changed },
      );
      return queryClient.invalidateQueries({
        queryKey: patientKeys.all,
        predicate: ({ queryKey }) => queryKey[1] !== 'one',
      });
    },
    onError: (failure) => {
      const current = currentOf<Patient>(failure);
      if (current) setConflict({ before: valuesOf(base.current), current });
      const same = candidatesOf(failure, 'POSSIBLE_DUPLICATE');
      if (same) setCandidates(same);
      const holders = candidatesOf(failure, 'DUPLICATE');
      const card = digitsOf(form.getValues().idCard);
      if (holders?.length) queryClient.setQueryData(patientsByIdCardQuery(card).queryKey, holders);
      return current !== null || same !== null;
    },
  });
  const resolve = (values?: PatientValues) => {
    if (!conflict) return;
    startFrom(conflict.current, values);
    setConflict(null);
    if (values) onSubmit();
  };
  return (
    <>
      <PatientFormBody
        form={form}
        patient={base.current}
        label={t.page.patientEdit}
        submitLabel={t.action.save}
        pending={pending}
        error={error}
        onSubmit={(event) => {
          confirmed.current = false;
          onSubmit(event);
        }}
      />
      <PatientConflict
        conflict={conflict}
        mine={form.values}
        onClose={() => setConflict(null)}
        onUseTheirs={() => resolve()}
        onSave={resolve}
      />
      <DuplicateDialog
        candidates={candidates}
        mine={form.values}
        text={t.patient.duplicate.textEdit}
        confirmLabel={t.patient.duplicate.saveAnyway}
        onClose={() => setCandidates(null)}
        onUse={(other) => void navigate(patientLink(other.id))}
        onConfirm={() => {
          setCandidates(null);
          confirmed.current = true;
          onSubmit();
        }}
      />
      <UnsavedGuard unsaved={() => form.isDirty()} />
    </>
  );
}
