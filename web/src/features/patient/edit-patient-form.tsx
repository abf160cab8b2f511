import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type PatientRecord, patientKeys, patientQuery } from '@/entities/patient/api';
import { DuplicateDialog } from '@/entities/patient/duplicate-dialog';
import { patientLink } from '@/entities/patient/patient-line';
import { changeOf, valuesOf } from '@/entities/patient/patient-values';
import { useDuplicates } from '@/entities/patient/use-duplicates';
import { useNewPatientForm } from '@/entities/patient/use-patient-form';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useVersionedForm } from '@/ui/use-versioned-form';
import { updatePatient } from './api';
import { PatientFormBody } from './form-body';
import { PatientConflict } from './patient-conflict';
import { patientFields } from './patient-facts';

/** Changes a record. Only changed fields are sent. */
export function EditPatientForm({ patient }: { patient: PatientRecord }) {
  const t = useT();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const form = useNewPatientForm(valuesOf(patient));
  const duplicates = useDuplicates(form);
  const { base, onSubmit, pending, error, conflict } = useVersionedForm(form, {
    record: patient,
    valuesOf,
    fields: patientFields,
    changeOf,
    update: (change) => updatePatient({ ...change, ...duplicates.confirmation() }),
    onSaved: (saved, change) => {
      showDone(change ? t.patient.saved(fullName(saved)) : t.patient.unchanged);
      queryClient.setQueryData(patientQuery(saved.id).queryKey, (known) => known && { ...known, ...saved });
      return queryClient.invalidateQueries({
        queryKey: patientKeys.all,
        predicate: ({ queryKey }) => queryKey[1] !== 'one',
      });
    },
    onError: duplicates.onError,
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
        onSubmit={duplicates.submit(onSubmit)}
      />
      <PatientConflict conflict={conflict} />
      <DuplicateDialog
        candidates={duplicates.candidates}
        mine={form.values}
        text={t.patient.duplicate.textEdit}
        confirmLabel={t.patient.duplicate.saveAnyway}
        onClose={duplicates.close}
        onUse={(other) => void navigate(patientLink(other.id))}
        onConfirm={duplicates.confirm(onSubmit)}
      />
      <UnsavedGuard unsaved={() => form.isDirty()} />
    </>
  );
}
