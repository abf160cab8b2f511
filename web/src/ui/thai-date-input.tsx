import { TextInput, type TextInputProps } from '@mantine/core';
import { useUncontrolled } from '@mantine/hooks';
import { type KeyboardEvent, useState } from 'react';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDate, formatTypedDate, parseThaiDate } from '@/lib/thai-date';
import { ThaiDatePicker } from './thai-date-input-picker';

type Problem = 'unreadable' | 'tooEarly' | 'tooLate';

/** Typed text that is incomplete or in another format. It is shown only while the value is the one it was parsed to. */
interface Draft {
  text: string;
  iso: string | null;
  /** Shown after the field lost the focus. */
  problem: Problem | null;
}

export interface ThaiDateInputProps
  extends Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'rightSection' | 'label'> {
  label?: string;
  /** ISO 'YYYY-MM-DD', or null for none. */
  value?: string | null;
  defaultValue?: string | null;
  onChange?: (iso: string | null) => void;
  /** First and last date that may be chosen, ISO. */
  minDate?: string;
  maxDate?: string;
}

/**
 * A date, typed or picked. Shown in the Buddhist Era (Common Era in English); `value` and `onChange` use ISO. Text that
 * is not a valid date means null and shows an error, never the previous date.
 */
export function ThaiDateInput(props: ThaiDateInputProps) {
  const { value, defaultValue, onChange, minDate, maxDate, error, onBlur, onKeyDown, ...rest } = props;
  const t = useT();
  const { language } = useLanguage();
  const [iso, setIso] = useUncontrolled<string | null>({ value, defaultValue, finalValue: null, onChange });
  const [lastDraft, setDraft] = useState<Draft | null>(null);
  const [opened, setOpened] = useState(false);
  const draft = lastDraft && lastDraft.iso === iso ? lastDraft : null;

  const choose = (next: string | null) => {
    if (next !== iso) setIso(next);
  };
  const read = (text: string, finished: boolean): { iso: string | null; problem: Problem | null } => {
    if (text.trim() === '') return { iso: null, problem: null };
    // "31" means 2531 in Thai; in English it is ambiguous.
    const found = parseThaiDate(text, { shortYear: finished && language === 'th' });
    if (!found) return { iso: null, problem: 'unreadable' };
    if (minDate && found < minDate) return { iso: null, problem: 'tooEarly' };
    if (maxDate && found > maxDate) return { iso: null, problem: 'tooLate' };
    return { iso: found, problem: null };
  };
  const type = (text: string) => {
    const { iso: next } = read(text, false);
    setDraft({ text, iso: next, problem: null });
    choose(next);
  };
  const finish = () => {
    if (!draft) return;
    const { iso: next, problem } = read(draft.text, true);
    setDraft(problem ? { text: draft.text, iso: null, problem } : null);
    choose(next);
  };
  const pick = (day: string | null) => {
    setDraft(null);
    setOpened(false);
    choose(day);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') finish();
    if (event.key === 'ArrowDown' && event.altKey) {
      event.preventDefault();
      finish();
      setOpened(true);
    }
    onKeyDown?.(event);
  };
  const message = {
    unreadable: `${t.date.unreadable} ${t.date.example}`,
    tooEarly: t.date.tooEarly(formatDate(minDate ?? '', language)),
    tooLate: t.date.tooLate(formatDate(maxDate ?? '', language)),
  };
  return (
    <TextInput
      placeholder={t.date.placeholder}
      autoComplete="off"
      inputMode="text"
      {...rest}
      className={`tabular ${rest.className ?? ''}`}
      value={draft ? draft.text : iso ? formatTypedDate(iso, language) : ''}
      error={draft?.problem ? message[draft.problem] : error}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={(event) => {
        finish();
        onBlur?.(event);
      }}
      onKeyDown={press}
      rightSectionPointerEvents="all"
      rightSection={
        !rest.disabled &&
        !rest.readOnly && (
          <ThaiDatePicker
            field={rest.label ?? rest['aria-label'] ?? t.date.calendar}
            value={iso}
            minDate={minDate}
            maxDate={maxDate}
            opened={opened}
            onOpen={setOpened}
            onPick={pick}
          />
        )
      }
    />
  );
}
