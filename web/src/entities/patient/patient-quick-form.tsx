import { Button, Group, Stack } from '@mantine/core';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import type { NewPatient, Patient } from './api';
import { BirthFields } from './birth-fields';
import { DuplicateDialog } from './duplicate-dialog';
import { IdCardInput } from './id-card-input';
import { NameFields } from './name-fields';
import classes from './patient-form.module.css';
import { PatientFormProvider } from './patient-form-context';
import { EMPTY_PATIENT, fieldsOf, type PatientValues } from './patient-values';
import { PhoneInput } from './phone-input';
import { useNewPatientForm } from './use-patient-form';
import { useRegistration } from './use-registration';

interface PatientQuickFormProps {
  /** Values known already, such as the name that was searched for. */
  initial?: Partial<PatientValues>;
  /** Called with the registered patient, or with an existing one that was chosen instead. */
  onDone: (patient: Patient) => unknown;
  onCancel: () => void;
}

/** The shortest registration, for a booking by phone. The rest is completed at the visit. */
export function PatientQuickForm({ initial, onDone, onCancel }: PatientQuickFormProps) {
  const t = useT();
  const form = useNewPatientForm({ ...EMPTY_PATIENT, nationality: '', idType: 'NONE', ...initial });
  const { onSubmit, pending, error, candidates, closeCandidates, registerAnyway } = useRegistration(form, {
    fields: quickFields,
    onCreated: onDone,
  });
  return (
    <PatientFormProvider form={form} fromCard={{}}>
      <form noValidate onSubmit={onSubmit} aria-label={t.page.patientCreate} className={classes.form}>
        <div className={classes.grid}>
          <NameFields />
          <BirthFields />
          <IdCardInput required={false} className={classes.s6} />
          <PhoneInput field="phone" className={classes.s6} />
        </div>
        <Stack gap="sm" mt="md">
          {error !== null && <ErrorAlert error={error} />}
          <Group gap="xs" justify="flex-end">
            <Button variant="default" onClick={onCancel}>
              {t.action.back}
            </Button>
            <Button type="submit" loading={pending}>
              {t.patient.submit}
            </Button>
          </Group>
        </Stack>
      </form>
      <DuplicateDialog
        candidates={candidates}
        mine={form.values}
        text={t.patient.duplicate.text}
        confirmLabel={t.patient.duplicate.registerNew}
        onClose={closeCandidates}
        onUse={onDone}
        onConfirm={registerAnyway}
      />
    </PatientFormProvider>
  );
}

/** Sends only the form's fields. With a card number, the patient was identified by the card. */
function quickFields(values: PatientValues): NewPatient {
  const { prename, firstName, lastName, sex, birthDate, birthPrecision, idCard, phone } = fieldsOf(values);
  const idType = idCard ? 'CID' : 'NONE';
  return { prename, firstName, lastName, sex, birthDate, birthPrecision, idCard, phone, idType };
}
