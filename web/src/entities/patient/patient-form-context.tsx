import type { UseFormReturnType } from '@mantine/form';
import { IconId } from '@tabler/icons-react';
import { createContext, type ReactNode, use } from 'react';
import { useT } from '@/i18n/provider';
import { DESCRIPTION_BELOW } from '@/ui/input-order';
import type { Patient } from './api';
import classes from './patient-form.module.css';
import type { PatientValues } from './patient-values';

export type PatientForm = UseFormReturnType<PatientValues>;

interface FormContextValue {
  form: PatientForm;
  /** The record being changed; undefined for a registration. */
  patient?: Patient;
  /** The values read from the ID card, by path. An input that still has its value is marked. */
  fromCard: Record<string, unknown>;
}

const FormContext = createContext<FormContextValue | null>(null);

export function PatientFormProvider({ children, ...value }: FormContextValue & { children: ReactNode }) {
  return <FormContext value={value}>{children}</FormContext>;
}

export function usePatientForm(): FormContextValue {
  const value = use(FormContext);
  if (!value) throw new Error('an input of the patient form stands outside the form');
  return value;
}

/** Returns the props of an input except its label: value, error, and the mark of a value read from the card. */
export function useInput(path: string, hint?: ReactNode) {
  const { form, fromCard } = usePatientForm();
  const props = form.getInputProps(path);
  const read = path in fromCard && fromCard[path] === props.value;
  return {
    ...props,
    inputWrapperOrder: DESCRIPTION_BELOW,
    description: read ? <FromCard /> : hint,
  };
}

function FromCard() {
  const t = useT();
  return (
    <span className={classes.fromCard}>
      <IconId size={14} aria-hidden /> {t.patient.card.filled}
    </span>
  );
}
