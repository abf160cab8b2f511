import { Group, NativeSelect } from '@mantine/core';
import { useRef, useState } from 'react';
import { useT } from '@/i18n/provider';
import { addDays, firstOfMonth, hospitalToday } from '@/lib/thai-date';
import { ThaiDateInput } from './thai-date-input';

/** First and last day, both included; null for no limit. */
export interface DateRange {
  from: string | null;
  to: string | null;
}

const PRESETS = ['all', 'today', 'yesterday', 'lastSevenDays', 'thisMonth'] as const;
type Preset = (typeof PRESETS)[number];

export function presetRange(preset: Preset, today: string = hospitalToday()): DateRange {
  switch (preset) {
    case 'all':
      return { from: null, to: null };
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case 'lastSevenDays':
      return { from: addDays(today, -6), to: today };
    case 'thisMonth':
      return { from: firstOfMonth(today), to: today };
  }
}

/** The preset of a range, or 'custom'. */
export function presetOf({ from, to }: DateRange, today: string = hospitalToday()): Preset | 'custom' {
  const same = (preset: Preset) => {
    const range = presetRange(preset, today);
    return range.from === from && range.to === to;
  };
  return PRESETS.find(same) ?? 'custom';
}

interface ThaiDateRangeProps {
  value: DateRange;
  onChange: (range: DateRange) => void;
  maxDate?: string;
}

/** A period: a preset or two dates. If a date passes the other one, the other one is cleared. */
export function ThaiDateRange({ value, onChange, maxDate }: ThaiDateRangeProps) {
  const t = useT();
  const fromInput = useRef<HTMLInputElement>(null);
  // A preset also clears unreadable text: the inputs are remounted.
  const [choices, setChoices] = useState(0);
  const [custom, setCustom] = useState(false);
  const choose = (name: string) => {
    const preset = PRESETS.find((known) => known === name);
    setCustom(!preset);
    if (!preset) return fromInput.current?.focus();
    setChoices(choices + 1);
    onChange(presetRange(preset));
  };
  return (
    <Group gap="xs" align="flex-start">
      <NativeSelect
        label={t.date.period}
        w={{ base: '100%', xs: 150 }}
        value={custom ? 'custom' : presetOf(value)}
        data={[...PRESETS, 'custom' as const].map((preset) => ({
          value: preset,
          label: t.date.presets[preset],
        }))}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      <ThaiDateInput
        key={`from ${choices}`}
        ref={fromInput}
        label={t.date.from}
        w={{ base: 'calc(50% - 5px)', xs: 145 }}
        value={value.from}
        maxDate={maxDate}
        onChange={(from) => onChange({ from, to: from && value.to && value.to < from ? null : value.to })}
      />
      <ThaiDateInput
        key={`to ${choices}`}
        label={t.date.to}
        w={{ base: 'calc(50% - 5px)', xs: 145 }}
        value={value.to}
        maxDate={maxDate}
        onChange={(to) => onChange({ to, from: to && value.from && value.from > to ? null : value.from })}
      />
    </Group>
  );
}
