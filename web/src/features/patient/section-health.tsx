import { TagsInput, Textarea } from '@mantine/core';
import classes from '@/entities/patient/patient-form.module.css';
import { useInput, usePatientForm } from '@/entities/patient/patient-form-context';
import { useT } from '@/i18n/provider';
import { AllergiesEditor } from './allergies-editor';
import { FormSection } from './form-section';
import { ChoiceField } from './plain-inputs';

const BLOOD_GROUPS = ['A', 'B', 'AB', 'O'];
const RH_FACTORS = ['+', '-'];

export function HealthSection() {
  const t = useT();
  const { form } = usePatientForm();
  const options = (values: string[]) => [
    { value: '', label: t.patient.notRecorded },
    ...values.map((value) => ({ value, label: value })),
  ];
  // An error in one of the tags is shown at their input.
  const tagFault = Object.keys(form.errors).find((path) => path.startsWith('conditions.'));
  const conditions = useInput('conditions', t.patient.conditionsHint);
  return (
    <FormSection name="health">
      <AllergiesEditor />
      <TagsInput
        {...conditions}
        className={classes.wide}
        label={t.patient.field.conditions}
        data={t.patient.commonConditions}
        error={conditions.error ?? (tagFault && form.errors[tagFault])}
      />
      <ChoiceField field="bloodGroup" data={options(BLOOD_GROUPS)} className={classes.s3} />
      <ChoiceField field="rhFactor" data={options(RH_FACTORS)} className={classes.s3} />
      <Textarea {...useInput('note')} className={classes.wide} label={t.patient.field.note} rows={3} />
    </FormSection>
  );
}
