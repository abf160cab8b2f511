import { useLanguage, useT } from '@/i18n/provider';
import { ConflictDialog, type Side } from '@/ui/conflict-dialog';
import type { Patient } from './api';
import { ALL_FACTS, type FactKey, factText, sameFact, withFacts } from './patient-facts';
import { type PatientValues, valuesOf } from './patient-values';

/** The facts at which somebody else's saved change meets what stands in the form. */
export function clashingFacts(base: PatientValues, mine: PatientValues, theirs: PatientValues): FactKey[] {
  return ALL_FACTS.filter((fact) => !sameFact(theirs, base, fact) && !sameFact(theirs, mine, fact));
}

interface PatientConflictProps {
  /** What the form started from, and what somebody else has saved since. */
  conflict: { before: PatientValues; current: Patient } | null;
  mine: PatientValues;
  onClose: () => void;
  onUseTheirs: () => void;
  onSave: (values: PatientValues) => void;
}

export function PatientConflict({ conflict, mine, onClose, onUseTheirs, onSave }: PatientConflictProps) {
  const t = useT();
  const { language } = useLanguage();
  const before = conflict?.before ?? mine;
  const theirs = conflict ? valuesOf(conflict.current) : mine;
  const facts = clashingFacts(before, mine, theirs);
  const save = (choice: Record<string, Side>) =>
    onSave(
      withFacts(
        mine,
        theirs,
        facts.filter((fact) => choice[fact] === 'theirs'),
      ),
    );
  return (
    <ConflictDialog
      opened={conflict !== null}
      fields={facts.map((fact) => ({
        key: fact,
        label: t.patient.field[fact],
        mine: factText(t, language, mine, fact),
        theirs: factText(t, language, theirs, fact),
        touched: !sameFact(mine, before, fact),
      }))}
      onClose={onClose}
      onUseTheirs={onUseTheirs}
      onSave={save}
    />
  );
}
