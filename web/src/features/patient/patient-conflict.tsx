import type { ComponentProps } from 'react';
import type { PatientValues } from '@/entities/patient/patient-values';
import { useLanguage, useT } from '@/i18n/provider';
import { RecordConflict } from '@/ui/record-conflict';
import { ALL_FACTS, type FactKey, factText, sameFact } from './patient-facts';

/** The facts at which somebody else's saved change meets what stands in the form. */
export function clashingFacts(base: PatientValues, mine: PatientValues, theirs: PatientValues): FactKey[] {
  return ALL_FACTS.filter((fact) => !sameFact(theirs, base, fact) && !sameFact(theirs, mine, fact));
}

type Conflict = ComponentProps<typeof RecordConflict<PatientValues, FactKey>>['conflict'];

export function PatientConflict({ conflict }: { conflict: Conflict }) {
  const t = useT();
  const { language } = useLanguage();
  return (
    <RecordConflict
      conflict={conflict}
      label={(fact) => t.patient.field[fact]}
      textsOf={(values) =>
        Object.fromEntries(ALL_FACTS.map((fact) => [fact, factText(t, language, values, fact)]))
      }
    />
  );
}
