import type { ZodType } from 'zod';
import { mergeChanges, textFields } from '@/lib/three-way';
import { useLiveForm } from './use-live-form';
import { useNewerRecord, useVersionedForm } from './use-versioned-form';

type Change<Input> = Partial<Input> & { version: number };

interface Options<
  Rec extends { version: number },
  Values extends Record<string, unknown>,
  Input extends object,
> {
  /** The initial record; null for a new one, which starts from `blank`. */
  record: Rec | null;
  blank?: Values;
  valuesOf: (record: Rec) => Values;
  /** Each field as text for comparison. */
  textsOf: (values: Values) => Record<string, string>;
  /** The request fields. */
  inputOf: (values: Values) => Input;
  schema: ZodType<unknown, Values>;
  create?: (values: Values) => Promise<Rec>;
  /** Sends only the changed fields. */
  update: (change: Change<Input>, base: Rec) => Promise<Rec>;
  /** `fields` are the changed ones; empty for a new record. */
  onSaved: (saved: Rec, fields: string[]) => unknown;
}

/**
 * useRecordForm is a form over a record with a version. Only changed fields are sent (see useVersionedSave for
 * conflicts). A newer record that arrives while the form is open replaces the values only if nothing was typed.
 */
export function useRecordForm<
  Rec extends { version: number },
  Values extends Record<string, unknown>,
  Input extends object,
>(options: Options<Rec, Values, Input>) {
  const { record, blank, valuesOf, textsOf, inputOf, schema, create, update, onSaved } = options;
  const form = useLiveForm<Values>(record ? valuesOf(record) : (blank as Values), schema);
  const fields = textFields(textsOf);
  const { base, startFrom, ...save } = useVersionedForm(form, {
    record,
    valuesOf,
    fields,
    create,
    changeOf: (before: Rec, values) => {
      const changed = fields.changed(valuesOf(before), values);
      if (changed.length === 0) return null;
      const input = { ...inputOf(values) } as Record<string, unknown>;
      const change = Object.fromEntries(changed.map((field) => [field, input[field]])) as Partial<Input>;
      return { ...change, version: before.version };
    },
    update,
    onSaved: (saved, change) => {
      const { version: _, ...sent } = change ?? { version: 0 };
      return onSaved(saved, Object.keys(sent));
    },
  });
  const start = form.getInitialValues();
  const changed = fields.changed(start, form.values);
  const newer = useNewerRecord(
    record,
    { base: base.current, startFrom, pending: save.pending },
    changed.length === 0,
  );
  return {
    ...save,
    form,
    /** The initial values, and the changed fields. */
    start,
    changed,
    /** True if another user has saved other values since; typed values remain. */
    outdated: newer !== null && fields.changed(start, valuesOf(newer)).length > 0,
    /** Evaluated when the page is left: a finished save may not have been rendered yet. */
    unsaved: () => fields.changed(form.getInitialValues(), form.getValues()).length > 0,
    discard: () => {
      form.setValues(start);
      form.clearErrors();
    },
    /** Continues from a newer record with the user's changes on top. */
    adopt: (next: Rec) => {
      const sides = { before: form.getInitialValues(), mine: form.getValues(), theirs: valuesOf(next) };
      startFrom(next, mergeChanges(fields, sides));
    },
  };
}
