import { useLanguage, useT } from '@/i18n/provider';
import { formatDateTime } from '@/lib/thai-date';
import { ConflictDialog, type Side } from '@/ui/conflict-dialog';
import type { Customer } from './api';
import { bothChanged, type CustomerValues, textsOf, valuesOf } from './customer-values';

interface CustomerConflictProps {
  /** What the form started from, and what somebody else has saved since. */
  conflict: { before: Customer; current: Customer } | null;
  mine: CustomerValues;
  onClose: () => void;
  onUseTheirs: () => void;
  onSave: (values: CustomerValues) => void;
}

export function CustomerConflict({ conflict, mine, onClose, onUseTheirs, onSave }: CustomerConflictProps) {
  const t = useT();
  const { language } = useLanguage();
  const current = conflict ? valuesOf(conflict.current) : mine;
  const before = textsOf(t, conflict ? valuesOf(conflict.before) : mine);
  const [my, their] = [textsOf(t, mine), textsOf(t, current)];
  const clashing = conflict ? bothChanged(t, conflict.before, mine, conflict.current) : [];
  const { name, phone, email, lineUserId, consent, note, patients } = t.customer;
  const labels: Record<string, string> = {
    name,
    phone,
    email,
    lineUserId,
    consentAt: consent,
    note,
    patients,
  };
  const shown = (field: string, text = '') =>
    field === 'consentAt' && text !== '' ? formatDateTime(text, language) : text;
  const save = (choice: Record<string, Side>) => {
    // What only they changed is theirs; of what both did, what was chosen.
    const keep = (field: string) =>
      clashing.includes(field) ? choice[field] === 'mine' : my[field] !== before[field];
    const chosen = Object.keys(my).map((field) => [field, keep(field) ? mine[field] : current[field]]);
    onSave({ ...mine, ...Object.fromEntries(chosen) });
  };
  return (
    <ConflictDialog
      opened={conflict !== null}
      fields={clashing.map((field) => ({
        key: field,
        label: labels[field] ?? field,
        mine: shown(field, my[field]),
        theirs: shown(field, their[field]),
        touched: my[field] !== before[field],
      }))}
      onClose={onClose}
      onUseTheirs={onUseTheirs}
      onSave={save}
    />
  );
}
