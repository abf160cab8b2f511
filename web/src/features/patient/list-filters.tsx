import { Button, Collapse, Group, NativeSelect, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconFilter, IconFilterOff } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { MAX_AGE, SEXES } from '@/entities/patient/api';
import { useT } from '@/i18n/provider';
import { arabicDigits } from '@/lib/thai-text';
import { usePhone } from '@/ui/use-phone';
import classes from './list.module.css';
import { PROVINCES } from './list-provinces';
import { countFilters, NO_FILTERS, type PatientFilters } from './list-search';

interface PatientFiltersProps {
  filters: PatientFilters;
  onChange: (change: Partial<PatientFilters>, replace?: boolean) => void;
}

/** Sex, right, province and age; behind a button on a phone. */
export function PatientFilterBar({ filters, onChange }: PatientFiltersProps) {
  const t = useT();
  const words = t.patientList;
  const phone = usePhone();
  const [opened, setOpened] = useState(false);
  const panelId = useId();
  const { sex, right, province, ageFrom, ageTo } = filters;
  const count = countFilters(filters);
  const { q: _q, ...none } = NO_FILTERS;
  const rights = Object.entries(t.patient.rights);
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
        <Group component="search" className={classes.filters}>
          <NativeSelect
            className={classes.filter}
            aria-label={words.sex}
            value={sex ?? ''}
            onChange={({ currentTarget: { value } }) =>
              onChange({ sex: SEXES.find((known) => known === value) })
            }
          >
            <option value="">{words.allSexes}</option>
            {SEXES.map((value) => (
              <option key={value} value={value}>
                {t.patient.sexes[value]}
              </option>
            ))}
          </NativeSelect>
          <NativeSelect
            className={classes.filter}
            aria-label={words.right}
            value={right ?? ''}
            onChange={(event) => onChange({ right: event.currentTarget.value || undefined })}
          >
            <option value="">{words.allRights}</option>
            {rights.map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
            {right && !rights.some(([code]) => code === right) && <option value={right}>{right}</option>}
          </NativeSelect>
          <Select
            className={`${classes.filter} ${classes.province}`}
            aria-label={words.province}
            placeholder={words.allProvinces}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': words.allProvinces }}
            nothingFoundMessage={words.noProvince}
            data={PROVINCES}
            comboboxProps={{ keepMounted: false }} // faster without 77 hidden options
            value={province ?? null}
            onChange={(name) => onChange({ province: name ?? undefined })}
          />
          {/* If one limit passes the other, the other one is cleared. */}
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
          {count > 0 && (
            <Button
              variant="subtle"
              leftSection={<IconFilterOff size={16} aria-hidden />}
              onClick={() => onChange(none)}
            >
              {t.action.clearFilters}
            </Button>
          )}
        </Group>
      </Collapse>
    </>
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
      className={classes.age}
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
