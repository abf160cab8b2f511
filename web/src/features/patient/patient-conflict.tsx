import type { Patient } from '@/entities/patient/api';
import type { PatientValues } from '@/entities/patient/patient-values';
import { useLanguage, useT } from '@/i18n/provider';
import { RecordConflict } from '@/ui/record-conflict';
import type { Conflict } from '@/ui/use-versioned-save';
import { ALL_FACTS, type FactKey, factText } from './patient-facts';

type PatientConflictProps = { conflict: Conflict<Patient, PatientValues> | null };

export function PatientConflict({ conflict }: PatientConflictProps) {
  const t = useT();
  const { language } = useLanguage();
  return (
    <RecordConflict
      conflict={conflict}
      label={(fact) => t.patient.field[fact as FactKey]}
      textsOf={(values) =>
        Object.fromEntries(ALL_FACTS.map((fact) => [fact, factText(t, language, values, fact)]))
      }
    />
  );
}
