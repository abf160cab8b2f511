import { useEffect } from 'react';
import type { ZodType } from 'zod';
import { bothChanged } from '@/lib/three-way';
import { useLiveForm } from './use-live-form';
import { useVersionedSave } from './use-versioned-save';

type Change<Input> = Partial<Input> & { version: number };

interface Options<
  Rec extends { version: number },
  Values extends Record<string, unknown>,
  Input extends object,
> {
  /** What the form starts from; null for a new one, which starts from `blank`. */
  record: Rec | null;
  blank?: Values;
  valuesOf: (record: Rec) => Values;
  /** Each field as one text, fit to compare. */
  textsOf: (values: Values) => Record<string, string>;
  /** Each field as the server takes it. */
  inputOf: (values: Values) => Input;
  schema: ZodType<unknown, Values>;
  create?: (values: Values) => Promise<Rec>;
  /** Sends only what was changed. */
  update: (change: Change<Input>, base: Rec) => Promise<Rec>;
  /** `fields` are those that were changed; none of a new record. */
  onSaved: (saved: Rec, fields: string[]) => unknown;
}

/**
 * A form over a record with a version. Only what was changed is sent. When somebody else has saved since, each field that
 * both changed is asked about; where there is none, mine is saved on top of theirs without a question. A newer record that
 * comes while the form is open is taken over only while nothing was typed.
 */
export function useRecordForm<
  Rec extends { version: number },
  Values extends Record<string, unknown>,
  Input extends object,
>(options: Options<Rec, Values, Input>) {
  const { record, blank, valuesOf, textsOf, inputOf, schema, create, update, onSaved } = options;
  const form = useLiveForm<Values>(record ? valuesOf(record) : (blank as Values), schema);

  const changedBetween = (before: Values, after: Values) => {
    const [old, now] = [textsOf(before), textsOf(after)];
    return Object.keys(now).filter((field) => old[field] !== now[field]);
  };
  /** Theirs, with my changes on top, except where theirs was taken. */
  const onTop = (mine: Values, theirs: Values, taken: string[] = []): Values => {
    const kept = changedBetween(form.getInitialValues(), mine).filter((field) => !taken.includes(field));
    return { ...theirs, ...Object.fromEntries(kept.map((field) => [field, mine[field]])) };
  };
  const { base, startFrom, ...save } = useVersionedSave(form, {
    record,
    valuesOf,
    create,
    changeOf: (before, values) => {
      const fields = changedBetween(valuesOf(before), values);
      if (fields.length === 0) return null;
      const input = { ...inputOf(values) } as Record<string, unknown>;
      const change = Object.fromEntries(fields.map((field) => [field, input[field]])) as Partial<Input>;
      return { ...change, version: before.version };
    },
    update,
    clashing: (before, mine, theirs) => bothChanged(textsOf(before), textsOf(mine), textsOf(theirs)),
    merge: onTop,
    onSaved: (saved, change) => {
      const { version: _, ...fields } = change ?? { version: 0 };
      return onSaved(saved, Object.keys(fields));
    },
  });
  const start = form.getInitialValues();
  const changed = changedBetween(start, form.values);
  const newer =
    record && base.current && record.version > base.current.version && !save.pending ? record : null;
  const untouched = changed.length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it reads is this render's; it asks again when these two change.
  useEffect(() => {
    if (newer && untouched) startFrom(newer);
  }, [newer?.version, untouched]);
  return {
    ...save,
    form,
    /** The values that changes are counted from, and the fields that are changed. */
    start,
    changed,
    /** Somebody else has saved other values since; what is typed here stays. */
    outdated: newer !== null && changedBetween(start, valuesOf(newer)).length > 0,
    /** Asked at the moment of leaving: a save that has just come back may not have been drawn yet. */
    unsaved: () => changedBetween(form.getInitialValues(), form.getValues()).length > 0,
    discard: () => {
      form.setValues(start);
      form.clearErrors();
    },
    /** Goes on from a newer record, with my changes on top. */
    adopt: (next: Rec) => startFrom(next, onTop(form.getValues(), valuesOf(next))),
  };
}
