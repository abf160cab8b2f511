import { TextInput } from '@mantine/core';
import { useT } from '@/i18n/provider';
import { formatPhone } from '@/lib/phone';
import { useInput, usePatientForm } from './patient-form-context';

interface PhoneInputProps {
  field: 'phone' | 'phone2' | 'contactPhone';
  className?: string;
}

/** A phone number, formatted with dashes on blur. */
export function PhoneInput({ field, className }: PhoneInputProps) {
  const t = useT();
  const { form } = usePatientForm();
  const { onBlur, ...input } = useInput(field);
  return (
    <TextInput
      {...input}
      className={`tabular ${className ?? ''}`}
      label={t.patient.field[field]}
      type="tel"
      autoComplete="off"
      maxLength={20}
      onBlur={(event) => {
        const shown = formatPhone(form.getValues()[field]);
        if (shown !== form.getValues()[field]) form.setFieldValue(field, shown);
        onBlur?.(event);
      }}
    />
  );
}
