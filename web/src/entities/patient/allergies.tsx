import { IconAlertTriangle, IconCircleCheck, IconHelp } from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import { StatusBadge } from '@/ui/status-badge';
import classes from './allergies.module.css';
import type { PatientRecord } from './api';

interface AllergiesProps {
  /** The substances, shortened to the available space; empty if none is recorded. */
  substances: string;
  /** The patient was asked and has none. */
  noKnownAllergy: boolean;
  /** Adds a border, for the head of the record. */
  framed?: boolean;
}

/** The allergies of a patient, or that there are none, or that they are unknown. */
export function Allergies({ substances, noKnownAllergy, framed }: AllergiesProps) {
  const t = useT();
  if (substances) {
    return (
      <p className={classes.allergy} data-framed={framed || undefined}>
        <IconAlertTriangle size={18} aria-hidden />
        {t.patient.allergicTo(substances)}
      </p>
    );
  }
  return noKnownAllergy ? (
    <StatusBadge icon={IconCircleCheck} color="green">
      {t.patient.noKnownAllergy}
    </StatusBadge>
  ) : (
    <StatusBadge icon={IconHelp} color="orange">
      {t.patient.allergiesUnknown}
    </StatusBadge>
  );
}

/** The props of Allergies for a patient: the names of the substances only. */
export function allergiesOf({ allergies, noKnownAllergy }: PatientRecord) {
  return { substances: allergies.map(({ substance }) => substance).join(', '), noKnownAllergy };
}
