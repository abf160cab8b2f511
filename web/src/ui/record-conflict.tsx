import { ConflictDialog, type Side } from './conflict-dialog';

interface Conflict<Values> {
  fields: string[];
  mine: Values;
  theirs: Values;
  close: () => void;
  takeTheirs: () => void;
  save: (choice: Record<string, Side>) => void;
}

interface RecordConflictProps<Values> {
  conflict: Conflict<Values> | null;
  label: (field: string) => string;
  textsOf: (values: Values) => Record<string, string>;
}

/** The question of `useRecordForm`: both values of each field that two people changed. */
export function RecordConflict<Values>({ conflict, label, textsOf }: RecordConflictProps<Values>) {
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
        touched: true,
      }))}
      onClose={() => conflict?.close()}
      onUseTheirs={() => conflict?.takeTheirs()}
      onSave={(choice) => conflict?.save(choice)}
    />
  );
}
