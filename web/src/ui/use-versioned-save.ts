import { useState } from 'react';
import { currentOf } from '@/api/error';
import { bothChanged, type Fields, mergeChanges } from '@/lib/three-way';
import type { Side } from './conflict-dialog';

interface Options<Rec, Values, Change> {
  valuesOf: (record: Rec) => Values;
  fields: Fields<Values>;
  /** The request that changes `base` to `values`, or null if nothing differs. */
  changeOf: (base: Rec, values: Values) => Change | null;
  update: (change: Change, base: Rec) => Promise<Rec>;
  /** The user settled a conflict: go on from `theirs` with `values`, and save them if `save` is true. */
  onSettled?: (theirs: Rec, values: Values, save: boolean) => void;
}

export interface Conflict<Rec, Values> {
  /** The fields that both sides changed. */
  fields: string[];
  /** The record the user's changes are based on, and the one that is stored now. */
  base: Rec;
  current: Rec;
  before: Values;
  mine: Values;
  theirs: Values;
  /** Returns to the form without a decision. */
  close: () => void;
  takeTheirs: () => void;
  save: (choice: Record<string, Side>) => void;
}

/** Other users may save again while changes are merged; after so many attempts the user is asked. */
const ATTEMPTS = 3;

/**
 * useVersionedSave saves changes of a record with a version. If another user has saved since, changes of different
 * fields are merged and saved. For fields that both changed, `conflict` describes the conflict (see RecordConflict).
 * Pass failures of `save` to `onError`, which returns true if it was a conflict.
 */
export function useVersionedSave<Rec extends { version: number }, Values, Change>(
  options: Options<Rec, Values, Change>,
) {
  const { valuesOf, fields, changeOf, update, onSettled } = options;
  const [open, setOpen] = useState<{ base: Rec; mine: Values; current: Rec } | null>(null);

  /** `change` is what the user changed; null if nothing was sent. */
  const save = async (base: Rec, values: Values): Promise<{ saved: Rec; change: Change | null }> => {
    const change = changeOf(base, values);
    const before = valuesOf(base);
    let [record, request] = [base, change];
    for (let attempt = 1; request; attempt++) {
      try {
        return { saved: await update(request, record), change };
      } catch (failure) {
        const current = currentOf<Rec>(failure);
        if (!current || attempt === ATTEMPTS) throw failure;
        const sides = { before, mine: values, theirs: valuesOf(current) };
        if (bothChanged(fields, sides).length > 0) throw failure;
        [record, request] = [current, changeOf(current, mergeChanges(fields, sides))];
      }
    }
    // Nothing differs from what is stored.
    return { saved: record, change };
  };
  const onError = (failure: unknown, base: Rec, values: Values): boolean => {
    const current = currentOf<Rec>(failure);
    if (current) setOpen({ base, mine: values, current });
    return current !== null;
  };
  return { save, onError, conflict: open && conflictOf(open) };

  function conflictOf({ base, mine, current }: { base: Rec; mine: Values; current: Rec }) {
    const sides = { before: valuesOf(base), mine, theirs: valuesOf(current) };
    const clashing = bothChanged(fields, sides);
    const resolve = (values: Values, resend: boolean) => {
      setOpen(null);
      onSettled?.(current, values, resend);
    };
    const conflict: Conflict<Rec, Values> = {
      fields: clashing,
      base,
      current,
      ...sides,
      close: () => setOpen(null),
      takeTheirs: () => resolve(sides.theirs, false),
      save: (choice) => {
        const chosenTheirs = clashing.filter((field) => choice[field] === 'theirs');
        resolve(mergeChanges(fields, sides, chosenTheirs), true);
      },
    };
    return conflict;
  }
}
