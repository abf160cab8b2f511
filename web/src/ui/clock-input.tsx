import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { parseClock } from '@/lib/clock';

interface ClockInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** 'HH:MM', or the typed text if it is not a time. */
  value?: string;
  onChange?: (clock: string) => void;
}

/** A time in 24-hour format: 9, 930 and 9.30 are parsed on blur. */
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
        // While typing, only a complete time counts.
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
