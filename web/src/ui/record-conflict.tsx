import type { ReactNode } from 'react';
import { ConflictDialog } from './conflict-dialog';
import type { Conflict } from './use-versioned-save';

interface RecordConflictProps<Rec, Values> {
  conflict: Conflict<Rec, Values> | null;
  label: (field: string) => string;
  /** Each field as text. */
  textsOf: (values: Values) => Record<string, string>;
  /** Shown above the choices. */
  children?: ReactNode;
}

/** The conflict of useVersionedSave: both values of each field that both sides changed. */
export function RecordConflict<Rec, Values>(props: RecordConflictProps<Rec, Values>) {
  const { conflict, label, textsOf, children } = props;
  const mine = conflict ? textsOf(conflict.mine) : {};
  const theirs = conflict ? textsOf(conflict.theirs) : {};
  return (
    <ConflictDialog
      opened={conflict !== null}
      fields={(conflict?.fields ?? []).map((key) => ({
        key,
        label: label(key),
        mine: mine[key] ?? '',
        theirs: theirs[key] ?? '',
      }))}
      onClose={() => conflict?.close()}
      onUseTheirs={() => conflict?.takeTheirs()}
      onSave={(choice) => conflict?.save(choice)}
    >
      {children}
    </ConflictDialog>
  );
}
