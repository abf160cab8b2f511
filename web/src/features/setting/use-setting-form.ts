import { useQueryClient } from '@tanstack/react-query';
import type { ZodType } from 'zod';
import { hospitalQuery } from '@/entities/hospital/hospital';
import { type Setting, settingQuery } from '@/entities/setting/api';
import { useT } from '@/i18n/provider';
import type { Change } from '@/ui/change-list';
import { showDone } from '@/ui/toast';
import { useRecordForm } from '@/ui/use-record-form';
import { type SettingChange, updateSetting } from './api';

export interface SettingPart<Values extends Record<string, unknown>> {
  /** The part of the settings that a tab shows. */
  valuesOf: (setting: Setting) => Values;
  /** Each field as text, to show and to compare. */
  textsOf: (values: Values) => Record<string, string>;
  inputOf: (values: Values) => Omit<SettingChange, 'version'>;
  schema: ZodType<unknown, Values>;
  /** Describes changes where old and new text are not enough. */
  changesOf?: (before: Values, after: Values) => Change[];
}

/** Stores newer settings in all caches that show them: tabs, sidebar and page title. */
export function useShareSetting() {
  const queryClient = useQueryClient();
  return (setting: Setting) => {
    const { name, nameEn, logo } = setting;
    queryClient.setQueryData(settingQuery.queryKey, setting);
    queryClient.setQueryData(hospitalQuery.queryKey, (known) => known && { ...known, name, nameEn, logo });
    void queryClient.invalidateQueries({ queryKey: hospitalQuery.queryKey });
  };
}

export function useFieldName() {
  const names: Partial<Record<string, string>> = useT().audit.fields.setting;
  return (field: string) => names[field] ?? field;
}

/** The form of a tab over its part of the settings. */
export function useSettingForm<Values extends Record<string, unknown>>(
  setting: Setting,
  { valuesOf, textsOf, inputOf, schema, changesOf }: SettingPart<Values>,
) {
  const t = useT();
  const share = useShareSetting();
  const label = useFieldName();
  const record = useRecordForm({
    record: setting,
    valuesOf,
    textsOf,
    inputOf,
    schema,
    update: updateSetting,
    onSaved: (saved, fields) => {
      share(saved);
      showDone(t.setting.saved(fields.map(label).join(', ')));
    },
  });
  const [before, after] = [textsOf(record.start), textsOf(record.form.values)];
  const changes: Change[] = changesOf
    ? changesOf(record.start, record.form.values)
    : record.changed.map((key) => ({
        key,
        label: label(key),
        kind: 'value',
        before: before[key] ?? '',
        after: after[key] ?? '',
      }));
  return { ...record, changes, textsOf };
}
