import { Code, Text, TextInput, Title } from '@mantine/core';
import type { Setting } from '@/entities/setting/api';
import { useT } from '@/i18n/provider';
import { hospitalToday } from '@/lib/thai-date';
import { formatFault, formatNumber, repeatsYearly, restartOf } from './number-format';
import classes from './setting.module.css';
import { SettingForm, SettingPanel } from './setting-panel';
import { numberingPart } from './setting-values';
import { useFieldName, useSettingForm } from './use-setting-form';

/** The formats of hospital numbers and appointment numbers. */
export function NumberingTab() {
  return (
    <SettingPanel permission="GLOBAL_SETTING.UPDATE">
      {(setting, readOnly) => <NumberingForm setting={setting} readOnly={readOnly} />}
    </SettingPanel>
  );
}

const FORMATS = ['hnFormat', 'appointmentNumberFormat'] as const;
/** A number that shows the leading zeros. */
const SAMPLE = 123;

function NumberingForm({ setting, readOnly }: { setting: Setting; readOnly: boolean }) {
  const t = useT();
  const label = useFieldName();
  const record = useSettingForm(setting, numberingPart(t));
  const { form } = record;
  return (
    <SettingForm label={t.config.tabs.numbering} record={record} readOnly={readOnly}>
      <Text size="sm" c="dimmed">
        {t.setting.numbering.intro}
      </Text>
      <div className={classes.grid}>
        {FORMATS.map((field) => (
          <div key={field}>
            <TextInput
              label={label(field)}
              required
              readOnly={readOnly}
              maxLength={60}
              dir="ltr"
              spellCheck={false}
              autoComplete="off"
              className={classes.format}
              {...form.getInputProps(field)}
            />
            <Example format={form.values[field].trim()} />
          </div>
        ))}
      </div>
      <section>
        <Title order={2} size="h4" mb={4}>
          {t.setting.numbering.parts}
        </Title>
        <dl className={classes.tokens}>
          {(['YYYY', 'YY', 'MM', 'DD', 'SEQ'] as const).map((token) => (
            <div key={token}>
              <dt>
                <Code>{token === 'SEQ' ? '{SEQ:n}' : `{${token}}`}</Code>
              </dt>
              <dd>{t.setting.numbering.tokens[token]}</dd>
            </div>
          ))}
        </dl>
        <Text size="sm" c="dimmed">
          {t.setting.numbering.others}
        </Text>
      </section>
    </SettingForm>
  );
}

/** Previews today's number while the format is typed. */
function Example({ format }: { format: string }) {
  const t = useT();
  const right = formatFault(t, format) === null;
  return (
    <output className={classes.example}>
      <Text span size="xs" c="dimmed">
        {t.setting.numbering.example}
      </Text>
      <bdi className={`tabular ${classes.number}`}>
        {right ? formatNumber(format, hospitalToday(), SAMPLE) : '–'}
      </bdi>
      {right && (
        <Text span size="xs" c="dimmed">
          {t.setting.numbering.restart[restartOf(format)]}
        </Text>
      )}
      {right && repeatsYearly(format) && (
        <Text span size="xs" c="var(--mantine-color-error)">
          {t.setting.numbering.monthAlone}
        </Text>
      )}
    </output>
  );
}
