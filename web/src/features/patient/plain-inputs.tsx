import { Autocomplete, NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { useInput } from '@/entities/patient/patient-form-context';
import { useT } from '@/i18n/provider';
import type { FactKey } from './patient-facts';

interface FieldProps
  extends Pick<TextInputProps, 'className' | 'type' | 'inputMode' | 'withAsterisk' | 'maxLength'> {
  field: FactKey;
  hint?: string;
}

/** A line of text. */
export function TextField({ field, hint, ...props }: FieldProps) {
  const t = useT();
  return (
    <TextInput {...useInput(field, hint)} label={t.patient.field[field]} autoComplete="off" {...props} />
  );
}

/** A line of text with common values to choose from. */
export function SuggestField({
  field,
  data,
  className,
}: {
  field: FactKey;
  data: string[];
  className?: string;
}) {
  const t = useT();
  return (
    <Autocomplete
      {...useInput(field)}
      className={className}
      label={t.patient.field[field]}
      autoComplete="off"
      data={data}
    />
  );
}

interface ChoiceFieldProps {
  field: FactKey;
  data: { value: string; label: string }[];
  className?: string;
}

export function ChoiceField({ field, data, className }: ChoiceFieldProps) {
  const t = useT();
  return (
    <NativeSelect {...useInput(field)} className={className} label={t.patient.field[field]} data={data} />
  );
}
