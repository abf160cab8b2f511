import { Button, Fieldset, Group, NativeSelect, NumberInput, Text, Textarea } from '@mantine/core';
import { IconBell, IconPlus } from '@tabler/icons-react';
import { useRef } from 'react';
import type { Setting } from '@/entities/setting/api';
import { useLanguage, useT } from '@/i18n/provider';
import { addDays, formatDate, hospitalToday } from '@/lib/thai-date';
import { EmptyState } from '@/ui/empty-state';
import { DESCRIPTION_BELOW } from '@/ui/input-order';
import print from '@/ui/print.module.css';
import { showDone, showUndo } from '@/ui/toast';
import { CHANNELS } from './api';
import { formatFault, formatNumber } from './number-format';
import { MAX_HOURS, MAX_REMINDERS, offsetText, type ReminderValue, remindersPart } from './reminders-part';
import { RemoveButton } from './remove-button';
import classes from './setting.module.css';
import { SettingForm, SettingPanel } from './setting-panel';
import { fillTemplate, inserted, PLACEHOLDERS, smsCount } from './template';
import { useSettingForm } from './use-setting-form';

/** The reminders that patients get before their appointments. */
export function RemindersTab() {
  return (
    <SettingPanel permission="GLOBAL_SETTING.UPDATE">
      {(setting, readOnly) => <RemindersForm setting={setting} readOnly={readOnly} />}
    </SettingPanel>
  );
}

function RemindersForm({ setting, readOnly }: { setting: Setting; readOnly: boolean }) {
  const t = useT();
  const record = useSettingForm(setting, remindersPart(t));
  const { form } = record;
  const { reminders } = form.values;
  const made = useRef(0);
  const add = () => {
    made.current += 1;
    const key = `new ${made.current}`;
    form.setFieldValue('reminders', [...reminders, { key, offsetHours: 24, channel: 'SMS', template: '' }]);
    // The new row exists in the next frame.
    requestAnimationFrame(() => document.getElementById(rowId(key))?.querySelector('textarea')?.focus());
  };
  const change = (index: number, part: Partial<ReminderValue>) =>
    form.setFieldValue(
      'reminders',
      reminders.map((one, place) => (place === index ? { ...one, ...part } : one)),
    );
  const remove = (index: number) => {
    const reminder = reminders[index];
    if (!reminder) return;
    form.clearErrors();
    form.setFieldValue(
      'reminders',
      reminders.filter((_, place) => place !== index),
    );
    showUndo({
      message: t.setting.reminders.removed(index + 1),
      undoLabel: t.action.undo,
      onUndo: () => {
        const now = form.getValues().reminders;
        if (now.some(({ key }) => key === reminder.key)) return;
        form.setFieldValue('reminders', [...now.slice(0, index), reminder, ...now.slice(index)]);
        showDone(t.setting.reminders.restored);
      },
    });
  };
  const addButton = !readOnly && reminders.length < MAX_REMINDERS && (
    <Button variant="light" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
      {t.setting.reminders.add}
    </Button>
  );
  return (
    <SettingForm label={t.config.tabs.reminders} record={record} readOnly={readOnly}>
      {reminders.length === 0 ? (
        <EmptyState icon={IconBell} title={t.setting.reminders.none} action={addButton}>
          {t.setting.reminders.noneHint}
        </EmptyState>
      ) : (
        <Text size="sm" c="dimmed">
          {t.setting.reminders.intro}
        </Text>
      )}
      {reminders.map((reminder, index) => (
        <Fieldset
          key={reminder.key}
          id={rowId(reminder.key)}
          legend={t.setting.reminders.numbered(index + 1)}
          className={classes.reminder}
        >
          <div className={classes.reminderFields}>
            <Group gap="sm" align="flex-start">
              <NumberInput
                w={190}
                label={t.setting.reminders.offsetHours}
                description={offsetText(t, reminder.offsetHours)}
                inputWrapperOrder={DESCRIPTION_BELOW}
                required
                readOnly={readOnly}
                min={1}
                max={MAX_HOURS}
                allowDecimal={false}
                clampBehavior="none"
                {...form.getInputProps(`reminders.${index}.offsetHours`)}
              />
              <NativeSelect
                w={170}
                label={t.setting.reminders.channel}
                disabled={readOnly}
                data={CHANNELS.map((value) => ({ value, label: t.setting.reminders.channels[value] }))}
                {...form.getInputProps(`reminders.${index}.channel`)}
              />
            </Group>
            <TemplateInput
              value={reminder.template}
              readOnly={readOnly}
              input={form.getInputProps(`reminders.${index}.template`)}
              onInsert={(template) => change(index, { template })}
            />
            {!readOnly && (
              <Group>
                <RemoveButton onClick={() => remove(index)}>
                  {t.setting.reminders.remove(index + 1)}
                </RemoveButton>
              </Group>
            )}
          </div>
          <Preview reminder={reminder} setting={setting} />
        </Fieldset>
      ))}
      {reminders.length > 0 && <div>{addButton}</div>}
    </SettingForm>
  );
}

const rowId = (key: string) => `reminder-${key.replace(' ', '-')}`;

interface TemplateInputProps {
  value: string;
  readOnly: boolean;
  input: object;
  onInsert: (template: string) => void;
}

/** The message, with buttons that insert a placeholder at the cursor. */
function TemplateInput({ value, readOnly, input, onInsert }: TemplateInputProps) {
  const t = useT();
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = (token: string) => {
    const { selectionStart = value.length, selectionEnd = value.length } = area.current ?? {};
    const next = inserted(value, token, selectionStart, selectionEnd);
    onInsert(next.text);
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(next.cursor, next.cursor);
    });
  };
  return (
    <div>
      <Textarea
        ref={area}
        label={t.setting.reminders.template}
        required
        readOnly={readOnly}
        autosize
        minRows={3}
        maxLength={1000}
        {...input}
      />
      {!readOnly && (
        <Group gap={4} mt={6} className={print.screen} role="group" aria-label={t.setting.reminders.insert}>
          <Text size="xs" c="dimmed">
            {t.setting.reminders.insert}
          </Text>
          {PLACEHOLDERS.map((name) => (
            <Button
              key={name}
              variant="default"
              size="compact-xs"
              aria-label={t.setting.reminders.insertOne(t.setting.reminders.placeholders[name])}
              title={`{${name}}`}
              onClick={() => insert(`{${name}}`)}
            >
              {t.setting.reminders.placeholders[name]}
            </Button>
          ))}
        </Group>
      )}
    </div>
  );
}

/** A preview of the message for an appointment next week. */
function Preview({ reminder, setting }: { reminder: ReminderValue; setting: Setting }) {
  const t = useT();
  const { language } = useLanguage();
  const today = hospitalToday();
  const format = setting.appointmentNumberFormat;
  const text = fillTemplate(reminder.template, {
    ...t.setting.reminders.sample,
    date: formatDate(addDays(today, 7), language),
    time: '09:30',
    number: formatFault(t, format) === null ? formatNumber(format, today, 12) : '',
    hospital: (language === 'en' && setting.nameEn) || setting.name,
    phone: setting.phone,
  });
  const length = [...text].length;
  return (
    <section className={classes.message} aria-label={t.setting.reminders.preview}>
      <Text size="xs" c="dimmed">
        {t.setting.reminders.preview}
      </Text>
      <p className={classes.bubble}>{text || '–'}</p>
      <Text size="xs" c="dimmed">
        {reminder.channel === 'SMS'
          ? t.setting.reminders.smsLength(length, smsCount(text))
          : t.setting.reminders.length(length)}
      </Text>
    </section>
  );
}
