import { Button, Collapse, NativeSelect, type NativeSelectProps } from '@mantine/core';
import { IconFilter, IconFilterOff } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { useT } from '@/i18n/provider';
import classes from './filter-bar.module.css';
import { useAfterPaint } from './use-after-paint';
import { usePhone } from './use-phone';

interface FilterBarProps {
  /** How many filters are set. */
  count: number;
  words: { filters: string; filtersOn: (count: number) => string };
  className?: string;
  /** Whether there is anything to clear; by default, whether filters are set. */
  clearable?: boolean;
  onClear: () => void;
  children: ReactNode;
}

/** The filters of a list, with a button that clears them. On phones another button shows and hides them. */
export function FilterBar({ count, words, className = '', clearable, onClear, children }: FilterBarProps) {
  const phone = usePhone();
  const [opened, setOpened] = useState(false);
  const panelId = useId();
  return (
    <>
      {phone && (
        <Button
          variant="default"
          fullWidth
          aria-expanded={opened}
          aria-controls={panelId}
          leftSection={<IconFilter size={16} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          {count > 0 ? words.filtersOn(count) : words.filters}
        </Button>
      )}
      <Collapse expanded={!phone || opened} id={panelId}>
        <search className={`${classes.filters} ${className}`}>
          {children}
          {(clearable ?? count > 0) && <ClearFilters onClick={onClear} />}
        </search>
      </Collapse>
    </>
  );
}

export function ClearFilters({ onClick }: { onClick: () => void }) {
  const t = useT();
  return (
    <Button variant="subtle" leftSection={<IconFilterOff size={16} aria-hidden />} onClick={onClick}>
      {t.action.clearFilters}
    </Button>
  );
}

interface FilterSelectProps<Value extends string | number>
  extends Omit<NativeSelectProps, 'value' | 'onChange' | 'data'> {
  /** The name of the choice that does not filter. */
  all: string;
  value: Value | undefined;
  choices: readonly (readonly [value: Value, name: string])[];
  onChange: (value: Value | undefined) => void;
}

/**
 * A filter with one value or none. A text that came with a link is shown even if it is not a choice. The choices other
 * than the chosen one are rendered a frame later, so that the page appears sooner.
 */
export function FilterSelect<Value extends string | number>({
  all,
  value,
  choices,
  onChange,
  className = classes.filter,
  ...select
}: FilterSelectProps<Value>) {
  const painted = useAfterPaint(true, false);
  const chosen = choices.find(([choice]) => choice === value);
  const shown = painted ? choices : chosen ? [chosen] : [];
  return (
    <NativeSelect
      {...select}
      className={className}
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        onChange(choices.find(([choice]) => String(choice) === currentTarget.value)?.[0])
      }
    >
      <option value="">{all}</option>
      {shown.map(([choice, name]) => (
        <option key={choice} value={choice}>
          {name}
        </option>
      ))}
      {!chosen && typeof value === 'string' && value !== '' && <option value={value}>{value}</option>}
    </NativeSelect>
  );
}
