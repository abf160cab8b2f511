import { NumberInput, Textarea, TextInput } from '@mantine/core';
import type { Setting } from '@/entities/setting/api';
import { useT } from '@/i18n/provider';
import { DESCRIPTION_BELOW } from '@/ui/input-order';
import { LogoSection } from './logo-section';
import classes from './setting.module.css';
import { Section, SettingForm, SettingPanel } from './setting-panel';
import { BOUNDS, hospitalPart } from './setting-values';
import { useFieldName, useSettingForm } from './use-setting-form';

/** The hospital's data, and limits on durations and sizes. */
export function HospitalTab() {
  return (
    <SettingPanel permission="GLOBAL_SETTING.UPDATE">
      {(setting, readOnly) => <HospitalForm setting={setting} readOnly={readOnly} />}
    </SettingPanel>
  );
}

function HospitalForm({ setting, readOnly }: { setting: Setting; readOnly: boolean }) {
  const t = useT();
  const label = useFieldName();
  const record = useSettingForm(setting, hospitalPart(t));
  const { form } = record;
  const text = (field: keyof Setting & string) => ({
    label: label(field),
    readOnly,
    inputWrapperOrder: DESCRIPTION_BELOW,
    ...form.getInputProps(field),
  });
  const number = (field: 'uploadMaxMb' | 'sessionHours') => ({
    ...text(field),
    required: true,
    min: BOUNDS[field][0],
    max: BOUNDS[field][1],
    allowDecimal: false,
    clampBehavior: 'none' as const,
  });
  return (
    <>
      <LogoSection setting={setting} readOnly={readOnly} onChanged={record.adopt} />
      <SettingForm label={t.config.tabs.hospital} record={record} readOnly={readOnly}>
        <Section title={t.setting.hospital.identity}>
          <TextInput {...text('name')} description={t.setting.hospital.nameHint} required maxLength={120} />
          <TextInput {...text('nameEn')} maxLength={120} />
          <TextInput {...text('hospcode')} description={t.setting.hospital.hospcodeHint} maxLength={9} />
          <TextInput {...text('phone')} maxLength={60} inputMode="tel" />
          <Textarea {...text('address')} className={classes.wide} autosize minRows={2} maxLength={300} />
          <Textarea
            {...text('slipFooter')}
            className={classes.wide}
            description={t.setting.hospital.slipHint}
            autosize
            minRows={2}
            maxLength={1000}
          />
        </Section>
        <Section title={t.setting.hospital.system}>
          <NumberInput {...number('sessionHours')} description={t.setting.hospital.sessionHint} />
          <NumberInput {...number('uploadMaxMb')} description={t.setting.hospital.uploadHint} />
        </Section>
      </SettingForm>
    </>
  );
}
