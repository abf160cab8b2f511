import { NumberInput, Switch, Text, TextInput } from '@mantine/core';
import { useT } from '@/i18n/provider';
import type { Setting } from './api';
import classes from './setting.module.css';
import { Section, SettingForm, SettingPanel } from './setting-panel';
import { BOUNDS, bookingPart, clockOf, durationText } from './setting-values';
import { useFieldName, useSettingForm } from './use-setting-form';

const USUAL_NO_SHOW = '18:00';

/** What may be booked and cancelled, and what happens at the end of the day. */
export function BookingTab() {
  return (
    <SettingPanel permission="GLOBAL_SETTING.UPDATE">
      {(setting, readOnly) => <BookingForm setting={setting} readOnly={readOnly} />}
    </SettingPanel>
  );
}

function BookingForm({ setting, readOnly }: { setting: Setting; readOnly: boolean }) {
  const t = useT();
  const label = useFieldName();
  const record = useSettingForm(setting, bookingPart(t));
  const { form } = record;
  const number = (field: Exclude<keyof typeof BOUNDS, 'uploadMaxMb' | 'sessionHours'>) => ({
    label: label(field),
    required: true,
    readOnly,
    min: BOUNDS[field][0],
    max: BOUNDS[field][1],
    allowDecimal: false,
    clampBehavior: 'none' as const,
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as [
      'label',
      'input',
      'description',
      'error',
    ],
    ...form.getInputProps(field),
  });
  const duration = (field: 'leadMinutes' | 'cancelCutoffMinutes') => {
    const text = durationText(t, form.values[field]);
    return text ? t.setting.minutesAre(text) : t.setting.zero[field];
  };
  const on = form.values.noShowTime !== '';
  return (
    <SettingForm label={t.config.tabs.booking} record={record} readOnly={readOnly}>
      <Section title={t.setting.booking.ahead}>
        <NumberInput {...number('bookingWindowDays')} />
        <NumberInput {...number('maxActivePerPatient')} description={t.setting.booking.maxHint} />
        <NumberInput {...number('leadMinutes')} step={15} description={duration('leadMinutes')} />
        <NumberInput
          {...number('cancelCutoffMinutes')}
          step={60}
          description={`${duration('cancelCutoffMinutes')} · ${t.service.hints.cancelCutoffMinutes}`}
        />
        <Text size="xs" c="dimmed" className={classes.wide}>
          {t.setting.booking.serviceNote}
        </Text>
      </Section>
      <Section title={t.setting.booking.dayEnd}>
        <Switch
          className={classes.wide}
          label={t.setting.booking.noShow}
          description={t.setting.booking.noShowHint}
          disabled={readOnly}
          checked={on}
          onChange={({ currentTarget: { checked } }) =>
            form.setFieldValue('noShowTime', checked ? setting.noShowTime || USUAL_NO_SHOW : '')
          }
        />
        {on && (
          <TextInput
            label={label('noShowTime')}
            required
            readOnly={readOnly}
            className="tabular"
            inputMode="numeric"
            maxLength={5}
            {...form.getInputProps('noShowTime')}
            onBlur={(event) => {
              const time = clockOf(form.values.noShowTime);
              if (time !== '' && time !== form.values.noShowTime) form.setFieldValue('noShowTime', time);
              form.getInputProps('noShowTime').onBlur?.(event);
            }}
          />
        )}
      </Section>
    </SettingForm>
  );
}
