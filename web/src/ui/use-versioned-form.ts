import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useRef } from 'react';
import { shallowEqual } from '@/lib/shallow-equal';
import type { Fields } from '@/lib/three-way';
import { useFormSubmit } from './use-form-submit';
import { useVersionedSave } from './use-versioned-save';

interface Options<Rec, Values, Change> {
  /** The initial record; null for a new one. */
  record: Rec | null;
  valuesOf: (record: Rec) => Values;
  fields: Fields<Values>;
  create?: (values: Values) => Promise<Rec>;
  /** The request that changes `base` to `values`, or null if nothing differs. */
  changeOf: (base: Rec, values: Values) => Change | null;
  update: (change: Change, base: Rec) => Promise<Rec>;
  /** Completes the values of the form before they are sent. */
  prepare?: (values: Values) => Values;
  /** `change` is null for a new record, and if nothing was changed. `before` is what the changes were based on. */
  onSaved: (saved: Rec, change: Change | null, before: Rec | null) => unknown;
  /** Return true if the error is handled. */
  onError?: (failure: unknown) => boolean;
}

/** useVersionedForm is useVersionedSave for a form. After a save the form continues from the saved record. */
export function useVersionedForm<
  Rec extends { version: number },
  Values extends Record<string, unknown>,
  Change,
>(form: UseFormReturnType<Values>, options: Options<Rec, Values, Change>) {
  const { record, valuesOf, create, prepare = (values) => values, onSaved, onError } = options;
  /** The record that changes are based on. A ref: a save may follow in the same frame. */
  const base = useRef(record);
  /** The complete values that resolved a conflict, which are sent unchanged. */
  const settled = useRef<Values | null>(null);

  const startFrom = (from: Rec, values = valuesOf(from)) => {
    base.current = from;
    form.setInitialValues(valuesOf(from));
    form.setValues(values);
    form.clearErrors();
  };
  const versioned = useVersionedSave({
    ...options,
    onSettled: (theirs: Rec, values: Values, save: boolean) => {
      startFrom(theirs, values);
      if (!save) return;
      settled.current = values;
      onSubmit();
    },
  });
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: async (values) => {
      const complete = settled.current && shallowEqual(settled.current, values) ? values : prepare(values);
      settled.current = null;
      const before = base.current;
      if (before) return { ...(await versioned.save(before, complete)), before };
      if (!create) throw new Error('there is no record to save');
      return { saved: await create(complete), change: null, before };
    },
    onSuccess: ({ saved, change, before }) => {
      startFrom(saved);
      return onSaved(saved, change, before);
    },
    onError: (failure) => {
      const asked = base.current
        ? versioned.onError(failure, base.current, prepare(form.getValues()))
        : false;
      return (onError?.(failure) ?? false) || asked;
    },
  });
  return { base, startFrom, onSubmit, pending, error, conflict: versioned.conflict };
}

/**
 * useNewerRecord returns a newer version of the record than the form is based on. While nothing was typed, the form
 * starts from it instead.
 */
export function useNewerRecord<Rec extends { version: number }>(
  record: Rec | null,
  { base, startFrom, pending }: { base: Rec | null; startFrom: (record: Rec) => void; pending: boolean },
  untouched: boolean,
): Rec | null {
  const newer = record && base && record.version > base.version && !pending ? record : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rest belongs to this render; these two trigger it.
  useEffect(() => {
    if (newer && untouched) startFrom(newer);
  }, [newer?.version, untouched]);
  return newer;
}
