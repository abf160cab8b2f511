import type { UseFormReturnType } from '@mantine/form';
import { useRef, useState } from 'react';
import { currentOf } from '@/api/error';
import type { Side } from './conflict-dialog';
import { useFormSubmit } from './use-form-submit';

interface Options<Rec, Values, Change, Field extends string> {
  /** What the form starts from; null for a new one. */
  record: Rec | null;
  valuesOf: (record: Rec) => Values;
  create?: (values: Values) => Promise<Rec>;
  /** What has to be sent for `base` to become `values`; null where nothing differs. */
  changeOf: (base: Rec, values: Values) => Change | null;
  update: (change: Change, base: Rec) => Promise<Rec>;
  /** Which fields are asked about when somebody else has saved `theirs` since `before`. */
  clashing: (before: Values, mine: Values, theirs: Values) => Field[];
  /** What is saved after that question: of the fields asked about, theirs where it was `taken`, mine elsewhere. */
  merge: (mine: Values, theirs: Values, taken: Field[]) => Values;
  /** `change` is what was sent; null for a new record, and where nothing was changed. */
  onSaved: (saved: Rec, change: Change | null) => unknown;
  /** Return true if the error needs no further showing. */
  onError?: (failure: unknown) => boolean;
}

/**
 * Saves a form over a record with a version. Only what was changed is sent. When somebody else has saved since, what
 * clashes is asked about (`conflict`, for a RecordConflict); where nothing does, mine is saved on top of theirs without a
 * question. The form then goes on from what was saved.
 */
export function useVersionedSave<
  Rec extends { version: number },
  Values extends Record<string, unknown>,
  Change extends { version: number },
  Field extends string,
>(form: UseFormReturnType<Values>, options: Options<Rec, Values, Change, Field>) {
  const { record, valuesOf, create, changeOf, update, clashing, merge, onSaved, onError } = options;
  /** The record that changes are counted from. A ref: a save may follow in the same frame. */
  const base = useRef(record);
  const [conflict, setConflict] = useState<{ before: Rec; theirs: Rec } | null>(null);

  const startFrom = (from: Rec, values = valuesOf(from)) => {
    base.current = from;
    form.setInitialValues(valuesOf(from));
    form.setValues(values);
    form.clearErrors();
  };
  const save = async (values: Values) => {
    const before = base.current;
    if (!before) {
      if (!create) throw new Error('nothing to save to');
      return { saved: await create(values), change: null };
    }
    const change = changeOf(before, values);
    if (!change) return { saved: before, change };
    try {
      return { saved: await update(change, before), change };
    } catch (failure) {
      const theirs = currentOf<Rec>(failure);
      if (!theirs || clashing(valuesOf(before), values, valuesOf(theirs)).length > 0) throw failure;
      return { saved: await update({ ...change, version: theirs.version }, theirs), change };
    }
  };
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: save,
    onSuccess: ({ saved, change }) => {
      startFrom(saved);
      return onSaved(saved, change);
    },
    onError: (failure) => {
      const theirs = currentOf<Rec>(failure);
      if (theirs && base.current) setConflict({ before: base.current, theirs });
      const told = onError?.(failure) ?? false;
      return told || theirs !== null;
    },
  });
  const question = ({ before, theirs }: { before: Rec; theirs: Rec }) => {
    const [then, mine, now] = [valuesOf(before), form.values, valuesOf(theirs)];
    const fields = clashing(then, mine, now);
    const goOn = (values?: Values) => {
      startFrom(theirs, values);
      setConflict(null);
    };
    return {
      fields,
      before: then,
      mine,
      theirs: now,
      close: () => setConflict(null),
      takeTheirs: () => goOn(),
      save: (choice: Record<string, Side>) => {
        const taken = fields.filter((field) => choice[field] === 'theirs');
        goOn(merge(mine, now, taken));
        onSubmit();
      },
    };
  };
  return { base, startFrom, onSubmit, pending, error, conflict: conflict && question(conflict) };
}
