import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { MAX_AGE, SEXES } from '@/entities/patient/api';
import { useT } from '@/i18n/provider';
import { arabicDigits } from '@/lib/thai-text';
import { FilterBar, FilterSelect } from '@/ui/filter-bar';
import bar from '@/ui/filter-bar.module.css';
import classes from './list.module.css';
import { PROVINCES } from './list-provinces';
import { countFilters, NO_FILTERS, type PatientFilters } from './list-search';

interface PatientFiltersProps {
  filters: PatientFilters;
  onChange: (change: Partial<PatientFilters>, replace?: boolean) => void;
}

/** Filters by sex, right, province and age. */
export function PatientFilterBar({ filters, onChange }: PatientFiltersProps) {
  const t = useT();
  const words = t.patientList;
  const { sex, right, province, ageFrom, ageTo } = filters;
  const { q: _q, ...none } = NO_FILTERS;
  return (
    <FilterBar
      className={classes.filters}
      count={countFilters(filters)}
      words={words}
      onClear={() => onChange(none)}
    >
      <FilterSelect
        aria-label={words.sex}
        all={words.allSexes}
        value={sex}
        choices={SEXES.map((one) => [one, t.patient.sexes[one]])}
        onChange={(value) => onChange({ sex: value })}
      />
      <FilterSelect
        aria-label={words.right}
        all={words.allRights}
        value={right}
        choices={Object.entries(t.patient.rights)}
        onChange={(value) => onChange({ right: value })}
      />
      <Select
        className={`${bar.filter} ${classes.province}`}
        aria-label={words.province}
        placeholder={words.allProvinces}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': words.allProvinces }}
        nothingFoundMessage={words.noProvince}
        data={PROVINCES}
        comboboxProps={{ keepMounted: false }} // the page appears sooner without 77 hidden names
        value={province ?? null}
        onChange={(name) => onChange({ province: name ?? undefined })}
      />
      {/* A new end of the range clears the other one if that would be beyond it. */}
      <AgeInput
        label={words.ageFrom}
        value={ageFrom}
        onChange={(from) =>
          onChange(
            {
              ageFrom: from,
              ageTo: from !== undefined && ageTo !== undefined && ageTo < from ? undefined : ageTo,
            },
            true,
          )
        }
      />
      <AgeInput
        label={words.ageTo}
        value={ageTo}
        onChange={(to) =>
          onChange(
            {
              ageTo: to,
              ageFrom: to !== undefined && ageFrom !== undefined && ageFrom > to ? undefined : ageFrom,
            },
            true,
          )
        }
      />
    </FilterBar>
  );
}

const DELAY_MS = 400;

/** The typed age, in Arabic or Thai digits; null if it is not an age. */
export function readAge(text: string): number | undefined | null {
  const digits = arabicDigits(text).trim();
  if (digits === '') return undefined;
  const age = /^\d{1,3}$/.test(digits) ? Number(digits) : Number.NaN;
  return age <= MAX_AGE ? age : null;
}

interface AgeInputProps {
  label: string;
  value: number | undefined;
  onChange: (age: number | undefined) => void;
}

function AgeInput({ label, value, onChange }: AgeInputProps) {
  const t = useT();
  const [text, setText] = useState(String(value ?? ''));
  // The value that `text` was last made from: when `value` differs, it was changed elsewhere (Back, a link).
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    if (value !== readAge(text)) setText(String(value ?? ''));
  }
  const send = useDebouncedCallback((age: number | undefined) => onChange(age), DELAY_MS);
  const change = (typed: string) => {
    setText(typed);
    const age = readAge(typed);
    if (age !== null) send(age);
  };
  return (
    <TextInput
      className={`${bar.filter} ${classes.age}`}
      aria-label={label}
      placeholder={label}
      title={label}
      inputMode="numeric"
      maxLength={3}
      value={text}
      error={readAge(text) === null && t.patientList.ageInvalid}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
