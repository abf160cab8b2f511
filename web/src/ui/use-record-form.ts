import { useEffect, useRef, useState } from 'react';
import type { ZodType } from 'zod';
import { currentOf } from '@/api/error';
import { clashes } from '@/lib/three-way';
import type { Side } from './conflict-dialog';
import { useFormSubmit } from './use-form-submit';
import { useLiveForm } from './use-live-form';

interface Options<Rec extends { version: number }, Values extends Record<string, unknown>> {
  /** What the form starts from; null for a new one, which starts from `blank`. */
  record: Rec | null;
  blank?: Values;
  valuesOf: (record: Rec) => Values;
  /** Each field as one text, fit to show and to compare. */
  textsOf: (values: Values) => Record<string, string>;
  schema: ZodType<unknown, Values>;
  create?: (values: Values) => Promise<Rec>;
  /** Sends only the fields named in `fields`. */
  update: (base: Rec, fields: string[], values: Values, version: number) => Promise<Rec>;
  /** `fields` are those that were changed. */
  onSaved: (saved: Rec, fields: string[]) => unknown;
}

/**
 * A form over a record with a version. Only what was changed is sent. When somebody else has saved since, each field that
 * both changed is asked about; where there is none, mine is saved on top of theirs without a question. A newer record that
 * comes while the form is open is taken over only while nothing was typed.
 */
export function useRecordForm<Rec extends { version: number }, Values extends Record<string, unknown>>({
  record,
  blank,
  valuesOf,
  textsOf,
  schema,
  create,
  update,
  onSaved,
}: Options<Rec, Values>) {
  /** The record that changes are counted from. A ref beside the state: a save may follow in the same frame. */
  const base = useRef(record);
  const [start, setStart] = useState<Values>(() => (record ? valuesOf(record) : (blank as Values)));
  const [conflict, setConflict] = useState<Rec | null>(null);
  const saved = useRef(false);
  const form = useLiveForm<Values>(start, schema);

  const changedBetween = (before: Values, after: Values) => {
    const [old, now] = [textsOf(before), textsOf(after)];
    return Object.keys(now).filter((field) => old[field] !== now[field]);
  };
  const startOver = (from: Rec, values: Values = valuesOf(from)) => {
    base.current = from;
    setStart(valuesOf(from));
    form.setInitialValues(valuesOf(from));
    form.setValues(values);
    form.clearErrors();
  };
  const clashing = (mine: Values, theirs: Rec) => {
    if (!base.current) return [];
    const changed = changedBetween(valuesOf(base.current), mine);
    const met = clashes(textsOf(valuesOf(base.current)), textsOf(mine), textsOf(valuesOf(theirs)));
    return met.filter((field) => changed.includes(field));
  };
  /** Theirs, with my changes on top wherever `keep` says so. */
  const onTop = (theirs: Rec, mine: Values, keep: (field: string) => boolean): Values => {
    const changed = base.current ? changedBetween(valuesOf(base.current), mine) : [];
    const kept = changed.filter(keep).map((field) => [field, mine[field]]);
    return { ...valuesOf(theirs), ...Object.fromEntries(kept) };
  };
  const save = async (values: Values) => {
    const before = base.current;
    if (!before) {
      if (!create) throw new Error('nothing to save to');
      return { record: await create(values), fields: Object.keys(textsOf(values)) };
    }
    const fields = changedBetween(valuesOf(before), values);
    if (fields.length === 0) return { record: before, fields };
    try {
      return { record: await update(before, fields, values, before.version), fields };
    } catch (failure) {
      const theirs = currentOf<Rec>(failure);
      if (!theirs || clashing(values, theirs).length > 0) throw failure;
      return { record: await update(theirs, fields, values, theirs.version), fields };
    }
  };
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: save,
    onSuccess: ({ record: after, fields }) => {
      saved.current = !base.current;
      startOver(after);
      return onSaved(after, fields);
    },
    onError: (failure) => {
      const theirs = currentOf<Rec>(failure);
      if (theirs) setConflict(theirs);
      return theirs !== null;
    },
  });
  const changed = changedBetween(start, form.values);
  const newer = record && base.current && record.version > base.current.version && !pending ? record : null;
  const untouched = changed.length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it reads is this render's; it asks again when these two change.
  useEffect(() => {
    if (newer && untouched) startOver(newer);
  }, [newer?.version, untouched]);
  return {
    form,
    onSubmit,
    pending,
    error,
    /** The values that changes are counted from, and the fields that are changed. */
    start,
    changed,
    /** Somebody else has saved other values since; what is typed here stays. */
    outdated: newer !== null && changedBetween(start, valuesOf(newer)).length > 0,
    unsaved: () => !saved.current && changedBetween(start, form.getValues()).length > 0,
    discard: () => {
      form.setValues(start);
      form.clearErrors();
    },
    /** Goes on from a newer record, with my changes on top. */
    adopt: (newer: Rec) =>
      startOver(
        newer,
        onTop(newer, form.getValues(), () => true),
      ),
    conflict: conflict && {
      fields: clashing(form.values, conflict),
      mine: form.values,
      theirs: valuesOf(conflict),
      close: () => setConflict(null),
      takeTheirs: () => {
        startOver(conflict);
        setConflict(null);
      },
      save: (choice: Record<string, Side>) => {
        const merged = onTop(conflict, form.values, (field) => choice[field] !== 'theirs');
        startOver(conflict, merged);
        setConflict(null);
        requestAnimationFrame(() => onSubmit());
      },
    },
  };
}
