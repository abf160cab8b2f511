import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import classes from '@/entities/patient/patient-form.module.css';
import { useInput, usePatientForm } from '@/entities/patient/patient-form-context';
import { rightText } from '@/entities/patient/patient-text';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDate, hospitalToday } from '@/lib/thai-date';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { FormSection } from './form-section';
import { ChoiceField, TextField } from './plain-inputs';

/** The medical right and its validity. */
export function RightSection() {
  const t = useT();
  const { language } = useLanguage();
  const { form } = usePatientForm();
  const { rightCode, rightExpires } = form.values;
  const expires = useInput('rightExpires');
  const known = Object.keys(t.patient.rights);
  // A code of another system is shown unchanged.
  const codes = rightCode === '' || known.includes(rightCode) ? known : [...known, rightCode];
  return (
    <FormSection name="right">
      <ChoiceField
        field="rightCode"
        data={[
          { value: '', label: t.patient.chooseRight },
          ...codes.map((code) => ({ value: code, label: rightText(t, code) })),
        ]}
      />
      <TextField field="rightCardNo" />
      <ThaiDateInput
        {...expires}
        label={t.patient.field.rightExpires}
        value={rightExpires === '' ? null : rightExpires}
        onChange={(iso) => form.setFieldValue('rightExpires', iso ?? '')}
      />
      <TextField field="rightHospital" className={classes.wide} />
      {rightExpires !== '' && rightExpires < hospitalToday() && (
        <Alert
          className={classes.wide}
          role="status"
          color="orange"
          icon={<IconAlertTriangle aria-hidden />}
          p="xs"
        >
          {t.patient.rightExpired(formatDate(rightExpires, language))}
        </Alert>
      )}
    </FormSection>
  );
}
