import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { digitsOf } from '@/lib/thai-text';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useVersionedSave } from '@/ui/use-versioned-save';
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
import { withFacts } from './patient-facts';
import { changeOf, valuesOf } from './patient-values';
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
  const confirmed = useRef(false);
  const [candidates, setCandidates] = useState<Patient[] | null>(null);
  const form = useNewPatientForm(valuesOf(patient));
  const { base, onSubmit, pending, error, conflict } = useVersionedSave(form, {
    record: patient,
    valuesOf,
    changeOf,
    update: (change) => updatePatient(confirmed.current ? { ...change, confirmDuplicate: true } : change),
    clashing: clashingFacts,
    merge: withFacts,
    onSaved: (saved, change) => {
      showDone(change ? t.patient.saved(fullName(saved)) : t.patient.unchanged);
      queryClient.setQueryData(patientQuery(saved.id).queryKey, (known) => known && { ...known, ...saved });
      return queryClient.invalidateQueries({
        queryKey: patientKeys.all,
        predicate: ({ queryKey }) => queryKey[1] !== 'one',
      });
    },
    onError: (failure) => {
      const same = candidatesOf(failure, 'POSSIBLE_DUPLICATE');
      if (same) setCandidates(same);
      const holders = candidatesOf(failure, 'DUPLICATE');
      const card = digitsOf(form.getValues().idCard);
      if (holders?.length) queryClient.setQueryData(patientsByIdCardQuery(card).queryKey, holders);
      return same !== null;
    },
  });
  return (
    <>
      <PatientFormBody
        form={form}
        patient={base.current ?? patient}
        label={t.page.patientEdit}
        submitLabel={t.action.save}
        pending={pending}
        error={error}
        onSubmit={(event) => {
          confirmed.current = false;
          onSubmit(event);
        }}
      />
      <PatientConflict conflict={conflict} />
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
