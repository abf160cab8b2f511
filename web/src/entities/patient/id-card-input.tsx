import { Alert, Button, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { groupIdCard, isIdCard, isIdCardText, isMaskedIdCard } from '@/lib/id-card';
import { digitsOf } from '@/lib/thai-text';
import { TextLink } from '@/ui/text-link';
import { patientsByIdCardQuery } from './api';
import classes from './patient-form.module.css';
import { useInput, usePatientForm } from './patient-form-context';
import { patientLink } from './patient-line';

const DIGITS = 13;

/**
 * The ID card number, grouped as on the card while it is typed. The check digit is validated as soon as the number is
 * complete, and a patient already registered with it is shown. The stored number is masked: it is either left unchanged
 * or replaced completely.
 */
export function IdCardInput({ required, className }: { required: boolean; className?: string }) {
  const t = useT();
  const { form, patient } = usePatientForm();
  const value = form.values.idCard;
  const masked = isMaskedIdCard(value);
  const digits = digitsOf(value);
  const complete = !masked && digits.length === DIGITS;
  const { onChange: _onChange, ...input } = useInput('idCard', <Hint masked={masked} digits={digits} />);
  const type = (event: ChangeEvent<HTMLInputElement>) => {
    const { currentTarget: element } = event;
    const typed = element.value;
    const shown = isIdCardText(typed) ? groupIdCard(typed) : typed;
    form.setFieldValue('idCard', shown);
    if (digitsOf(shown).length === DIGITS) form.validateField('idCard');
    keepCaret(element, shown);
  };
  /** Restores the masked number, or clears the input. */
  const put = (number: string) => {
    form.setFieldValue('idCard', number);
    form.clearFieldError('idCard');
    requestAnimationFrame(() => form.getInputNode('idCard')?.focus());
  };
  return (
    <div className={className}>
      <TextInput
        {...input}
        label={t.patient.field.idCard}
        className="tabular"
        withAsterisk={required}
        autoComplete="off"
        inputMode="numeric"
        maxLength={17}
        placeholder="x-xxxx-xxxxx-xx-x"
        readOnly={masked}
        onChange={type}
      />
      {masked && (
        <Button variant="subtle" size="compact-sm" onClick={() => put('')}>
          {t.patient.changeCard}
        </Button>
      )}
      {!masked && patient && patient.idCard !== '' && (
        <Button variant="subtle" size="compact-sm" onClick={() => put(patient.idCard)}>
          {t.patient.keepCard(patient.idCard)}
        </Button>
      )}
      {complete && isIdCard(digits) && <DuplicateWarning digits={digits} />}
    </div>
  );
}

function Hint({ masked, digits }: { masked: boolean; digits: string }) {
  const t = useT();
  if (masked) return t.patient.maskedHint;
  if (digits === '') return null;
  if (digits.length < DIGITS) return t.patient.cardIncomplete(digits.length);
  if (!isIdCard(digits)) return null;
  return (
    <span className={classes.fromCard}>
      <IconCircleCheck size={14} aria-hidden /> {t.patient.cardChecked}
    </span>
  );
}

/** Warns if another record has this card number. */
function DuplicateWarning({ digits }: { digits: string }) {
  const t = useT();
  const { patient } = usePatientForm();
  const { data = [] } = useQuery(patientsByIdCardQuery(digits));
  const [other] = data.filter(({ id }) => id !== patient?.id);
  if (!other) return null;
  return (
    <Alert role="alert" color="orange" icon={<IconAlertTriangle aria-hidden />} mt="xs" p="xs">
      {t.patient.cardTaken}{' '}
      <TextLink {...patientLink(other.id)} size="sm" fw={600}>
        {t.patient.openRecord(fullName(other), other.hn)}
      </TextLink>
    </Alert>
  );
}

/** Keeps the caret behind the same digit while dashes are added and removed. */
function keepCaret(element: HTMLInputElement, shown: string): void {
  const caret = element.selectionStart ?? element.value.length;
  if (caret === element.value.length) return;
  const before = digitsOf(element.value.slice(0, caret)).length;
  const position = [...shown].findIndex((_, index) => digitsOf(shown.slice(0, index)).length === before);
  requestAnimationFrame(() => {
    if (position >= 0) element.setSelectionRange(position, position);
  });
}
