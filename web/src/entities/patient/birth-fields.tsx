import { Input, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLanguage, useT } from '@/i18n/provider';
import { formatAge } from '@/lib/age';
import { formatTypedDate, hospitalToday, parseThaiDate } from '@/lib/thai-date';
import { ThaiDateInput } from '@/ui/thai-date-input';
import classes from './patient-form.module.css';
import { useInput, usePatientForm } from './patient-form-context';
import type { BirthPrecision } from './patient-values';

const PRECISIONS: BirthPrecision[] = ['DAY', 'MONTH', 'YEAR'];

/** The birth date with its precision, and the resulting age. */
export function BirthFields() {
  const t = useT();
  const { language } = useLanguage();
  const { form } = usePatientForm();
  const { birthDate, birthPrecision } = form.values;
  const { value: _value, onChange: _onChange, ...input } = useInput('birthDate');
  const age = formatAge(birthDate, birthPrecision, language, hospitalToday());
  const setPrecision = (next: BirthPrecision) => {
    const finer = PRECISIONS.indexOf(next) < PRECISIONS.indexOf(birthPrecision);
    // With a finer precision the date must be entered again: a year alone does not become 1 January.
    form.setValues({ birthPrecision: next, birthDate: finer ? '' : known(birthDate, next) });
    form.clearFieldError('birthDate');
  };
  const choose = (iso: string | null) => form.setFieldValue('birthDate', iso ?? '');
  return (
    <>
      <Input.Wrapper
        className={classes.precision}
        label={t.patient.field.birthPrecision}
        labelElement="div"
        labelProps={{ display: 'block' }}
      >
        <SegmentedControl
          fullWidth
          aria-label={t.patient.field.birthPrecision}
          value={birthPrecision}
          onChange={setPrecision}
          data={PRECISIONS.map((value) => ({ value, label: t.patient.precisions[value] }))}
        />
      </Input.Wrapper>
      <div className={classes.birth}>
        {birthPrecision === 'DAY' ? (
          <ThaiDateInput
            {...input}
            label={t.patient.field.birthDate}
            withAsterisk
            value={birthDate === '' ? null : birthDate}
            onChange={choose}
          />
        ) : (
          <PartialDateInput
            {...input}
            key={birthPrecision}
            precision={birthPrecision}
            value={birthDate}
            onChange={choose}
          />
        )}
      </div>
      <Text className={classes.age} role="status">
        {age && t.patient.ageNow(age)}
      </Text>
    </>
  );
}

/** Returns the date with the unknown part set to the first. */
function known(iso: string, precision: BirthPrecision): string {
  if (iso === '' || precision === 'DAY') return iso;
  return precision === 'YEAR' ? `${iso.slice(0, 4)}-01-01` : `${iso.slice(0, 7)}-01`;
}

interface PartialDateInputProps extends Omit<ReturnType<typeof useInput>, 'value' | 'onChange'> {
  precision: 'MONTH' | 'YEAR';
  value: string;
  onChange: (iso: string | null) => void;
  error?: string;
}

/** A year (2490), or a month and year (2/2531, ก.พ. 2531), in the Buddhist Era. */
function PartialDateInput({ precision, value, onChange, error, onBlur, ...rest }: PartialDateInputProps) {
  const t = useT();
  const { language } = useLanguage();
  /**
   * Typed text that is incomplete or in another format. It is shown only while the value is the one it was parsed to.
   */
  const [draft, setDraft] = useState<{ text: string; iso: string; wrong: boolean } | null>(null);
  const byYear = precision === 'YEAR';
  const read = (text: string, shortYear: boolean) => {
    const written = text.trim();
    const whole = byYear ? `1/1/${written}` : /^\d/.test(written) ? `1/${written}` : `1 ${written}`;
    return (written && parseThaiDate(whole, { shortYear: shortYear && language === 'th' })) || '';
  };
  const type = (text: string) => {
    const iso = read(text, false);
    setDraft({ text, iso, wrong: false });
    onChange(iso === '' ? null : iso);
  };
  const current = draft && draft.iso === value ? draft : null;
  const finish = () => {
    if (!current) return;
    const iso = read(current.text, true);
    setDraft(iso === '' && current.text.trim() !== '' ? { ...current, wrong: true } : null);
    if (iso !== value) onChange(iso === '' ? null : iso);
  };
  const shown = value && formatTypedDate(value, language).slice(byYear ? 6 : 3);
  const message = byYear
    ? `${t.patient.yearUnreadable} ${t.patient.yearExample}`
    : `${t.patient.monthUnreadable} ${t.patient.monthExample}`;
  return (
    <TextInput
      {...rest}
      label={byYear ? t.patient.field.birthYear : t.patient.field.birthMonth}
      placeholder={byYear ? t.patient.yearExample : t.patient.monthExample}
      className="tabular"
      withAsterisk
      autoComplete="off"
      value={current ? current.text : shown}
      error={current?.wrong ? message : error}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={(event) => {
        finish();
        onBlur?.(event);
      }}
    />
  );
}
