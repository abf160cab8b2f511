import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { DuplicateDialog } from '@/entities/patient/duplicate-dialog';
import { patientLink } from '@/entities/patient/patient-line';
import { EMPTY_PATIENT, fieldsOf, type PatientValues } from '@/entities/patient/patient-values';
import { useNewPatientForm } from '@/entities/patient/use-patient-form';
import { useRegistration } from '@/entities/patient/use-registration';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { PatientFormBody } from './form-body';

/** Registers a patient and opens their page. */
export function CreatePatient() {
  const t = useT();
  const navigate = useNavigate();
  /** Saved, or replaced by an existing record: leaving loses nothing. */
  const done = useRef(false);
  /** The name of a search without results is filled in. */
  const searched = useLocation({ select: ({ state }) => state.register });
  const form = useNewPatientForm({ ...EMPTY_PATIENT, ...searched });
  // Registration starts with the ID card; on a phone the keyboard would cover the form.
  const arrived = useRef(false);
  useEffect(() => {
    if (arrived.current) return;
    arrived.current = true;
    if (window.matchMedia('(hover: hover)').matches)
      form.getInputNode('idCard')?.focus({ preventScroll: true });
  });
  const { onSubmit, pending, error, candidates, closeCandidates, registerAnyway } = useRegistration(form, {
    fields: fieldsOf,
    onCreated: (patient) => {
      done.current = true;
      showDone(t.patient.created(fullName(patient), patient.hn));
      return navigate(patientLink(patient.id));
    },
  });
  return (
    <>
      <PatientFormBody
        form={form}
        label={t.page.patientCreate}
        submitLabel={t.patient.submit}
        pending={pending}
        error={error}
        onSubmit={onSubmit}
      />
      <DuplicateDialog
        candidates={candidates}
        mine={form.values}
        text={t.patient.duplicate.text}
        confirmLabel={t.patient.duplicate.registerNew}
        onClose={closeCandidates}
        onUse={(patient) => {
          done.current = true;
          void navigate(patientLink(patient.id));
        }}
        onConfirm={registerAnyway}
      />
      <UnsavedGuard unsaved={() => !done.current && form.isDirty() && !onlyCardTyped(form.getValues())} />
    </>
  );
}

/** If only the ID card number was typed, following the link to its owner loses nothing. */
function onlyCardTyped(values: PatientValues): boolean {
  const { idCard: _card, idType: _type, ...rest } = values;
  const { idCard: _emptyCard, idType: _emptyType, ...empty } = EMPTY_PATIENT;
  return JSON.stringify(rest) === JSON.stringify(empty);
}
