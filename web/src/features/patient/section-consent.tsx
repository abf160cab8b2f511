import { Button, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import classes from '@/entities/patient/patient-form.module.css';
import { useInput, usePatientForm } from '@/entities/patient/patient-form-context';
import { useT } from '@/i18n/provider';
import { hospitalToday, inHospital, startOfDay } from '@/lib/thai-date';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { FormSection } from './form-section';

/** Whether and when the patient consented to the storage of their data. */
export function ConsentSection() {
  const t = useT();
  const { form } = usePatientForm();
  const { consentAt } = form.values;
  const given = consentAt === '' ? null : inHospital(consentAt).date;
  const today = hospitalToday();
  const choose = (date: string | null) => {
    if (date !== given) form.setFieldValue('consentAt', date ? startOfDay(date) : '');
  };
  return (
    <FormSection name="consent">
      <Text className={classes.wide} size="sm">
        {t.patient.consentText}
      </Text>
      <ThaiDateInput
        {...useInput('consentAt')}
        label={t.patient.field.consentAt}
        value={given}
        maxDate={today}
        onChange={choose}
      />
      <div className={classes.age}>
        <Button
          variant="light"
          leftSection={<IconCheck size={16} aria-hidden />}
          disabled={given === today}
          onClick={() => form.setFieldValue('consentAt', new Date().toISOString())}
        >
          {t.patient.consentToday}
        </Button>
      </div>
    </FormSection>
  );
}
