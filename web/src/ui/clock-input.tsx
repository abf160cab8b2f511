import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { parseClock } from '@/lib/clock';

interface ClockInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** 'HH:MM', or what was typed where that is no time. */
  value?: string;
  onChange?: (clock: string) => void;
}

/** A time of day by the 24-hour clock: 9, 930 and 9.30 are read when the input is left. */
export function ClockInput({ value = '', onChange, onBlur, ...rest }: ClockInputProps) {
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <TextInput
      inputMode="numeric"
      autoComplete="off"
      placeholder="09:00"
      maxLength={8}
      {...rest}
      className={`tabular ${rest.className ?? ''}`}
      value={draft ?? value}
      onChange={({ currentTarget: { value: text } }) => {
        setDraft(text);
        // Only what is surely complete counts while it is typed.
        onChange?.(/^\d{2}[:.]\d{2}$/.test(text) ? (parseClock(text) ?? text) : text);
      }}
      onBlur={(event) => {
        if (draft !== null) onChange?.(parseClock(draft) ?? draft);
        setDraft(null);
        onBlur?.(event);
      }}
    />
  );
}
