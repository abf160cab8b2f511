import { ConflictDialog, type Side } from './conflict-dialog';

interface Conflict<Values, Field> {
  fields: Field[];
  before: Values;
  mine: Values;
  theirs: Values;
  close: () => void;
  takeTheirs: () => void;
  save: (choice: Record<string, Side>) => void;
}

interface RecordConflictProps<Values, Field extends string> {
  conflict: Conflict<Values, Field> | null;
  label: (field: Field) => string;
  /** Each field as one text, fit to show. */
  textsOf: (values: Values) => Record<string, string>;
}

/** The question of `useVersionedSave`: both values of each field at which two people's work meets. */
export function RecordConflict<Values, Field extends string>(props: RecordConflictProps<Values, Field>) {
  const { conflict, label, textsOf } = props;
  const before = conflict ? textsOf(conflict.before) : {};
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
        touched: mine[key] !== before[key],
      }))}
      onClose={() => conflict?.close()}
      onUseTheirs={() => conflict?.takeTheirs()}
      onSave={(choice) => conflict?.save(choice)}
    />
  );
}
