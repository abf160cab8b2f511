import { NumberInput, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import type { Setting } from '@/entities/setting/api';
import { useT } from '@/i18n/provider';
import { ClockInput } from '@/ui/clock-input';
import { DESCRIPTION_BELOW } from '@/ui/input-order';
import classes from './setting.module.css';
import { Section, SettingForm, SettingPanel } from './setting-panel';
import { BOUNDS, bookingPart, durationText } from './setting-values';
import { useFieldName, useSettingForm } from './use-setting-form';

const DEFAULT_NO_SHOW_TIME = '18:00';

/** The rules for booking and cancelling, and for the end of the day. */
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
    inputWrapperOrder: DESCRIPTION_BELOW,
    ...form.getInputProps(field),
  });
  const duration = (field: 'leadMinutes' | 'cancelCutoffMinutes') => {
    const text = durationText(t, form.values[field]);
    return text ? t.setting.minutesAre(text) : t.setting.zero[field];
  };
  /** The input is briefly empty while it is retyped, which must not disable the rule. */
  const [typing, setTyping] = useState(false);
  const noShowTime = form.getInputProps('noShowTime');
  const on = form.values.noShowTime !== '' || typing;
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
            form.setFieldValue('noShowTime', checked ? setting.noShowTime || DEFAULT_NO_SHOW_TIME : '')
          }
        />
        {on && (
          <ClockInput
            label={label('noShowTime')}
            required
            readOnly={readOnly}
            {...noShowTime}
            onFocus={() => setTyping(true)}
            onBlur={(event) => {
              setTyping(false);
              noShowTime.onBlur?.(event);
            }}
          />
        )}
      </Section>
    </SettingForm>
  );
}
