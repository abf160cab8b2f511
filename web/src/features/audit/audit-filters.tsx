import { NativeSelect, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { useT } from '@/i18n/provider';
import { hospitalToday } from '@/lib/thai-date';
import { FilterBar, FilterSelect } from '@/ui/filter-bar';
import { ThaiDateRange } from '@/ui/thai-date-range';
import { useDebouncedText } from '@/ui/use-debounced-text';
import { type AuditSearch, OUTCOMES, peopleQuery } from './api';
import classes from './audit.module.css';

export const NO_FILTERS: AuditSearch = {
  actor: undefined,
  entity: '',
  entityId: '',
  action: '',
  outcome: undefined,
  from: undefined,
  to: undefined,
};

/** Returns the number of active filters; a date range counts as one. */
export function countFilters({ from, to, ...others }: AuditSearch): number {
  return Object.values(others).filter(Boolean).length + (from || to ? 1 : 0);
}

interface AuditFiltersProps {
  search: AuditSearch;
  onChange: (change: Partial<AuditSearch>) => void;
}

export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  const t = useT();
  // Inputs with their own text are remounted when the filters are cleared.
  const [round, setRound] = useState(0);
  return (
    <FilterBar
      className={classes.filters}
      count={countFilters(search)}
      words={t.audit}
      onClear={() => {
        setRound(round + 1);
        onChange(NO_FILTERS);
      }}
    >
      <Fragment key={round}>
        <PersonSelect value={search.actor} onChange={(actor) => onChange({ actor })} />
        <FilterSelect
          className=""
          label={t.audit.entity}
          w={{ base: 'calc(50% - 5px)', xs: 150 }}
          all={t.audit.anyEntity}
          value={search.entity}
          choices={Object.entries(t.audit.entities)}
          onChange={(entity = '') => onChange({ entity })}
        />
        <RecordInput value={search.entityId} onChange={(entityId) => onChange({ entityId })} />
        <ActionSelect value={search.action} onChange={(action) => onChange({ action })} />
        <FilterSelect
          className=""
          label={t.audit.outcome}
          w={{ base: '100%', xs: 140 }}
          all={t.audit.anyOutcome}
          value={search.outcome}
          choices={OUTCOMES.map((outcome) => [outcome, t.audit.outcomes[outcome]])}
          onChange={(outcome) => onChange({ outcome })}
        />
        <ThaiDateRange
          value={{ from: search.from ?? null, to: search.to ?? null }}
          maxDate={hospitalToday()}
          onChange={({ from, to }) => onChange({ from: from ?? undefined, to: to ?? undefined })}
        />
      </Fragment>
    </FilterBar>
  );
}

interface PersonSelectProps {
  value: number | undefined;
  onChange: (id: number | undefined) => void;
}

function PersonSelect({ value, onChange }: PersonSelectProps) {
  const t = useT();
  const { data: people = [] } = useQuery(peopleQuery);
  const active = people.filter(({ status, deleted }) => status === 'ACTIVE' && !deleted);
  const others = people.filter((person) => !active.includes(person));
  const groups = [
    {
      group: t.audit.activePeople,
      items: active.map(({ id, name }) => ({ value: String(id), label: name })),
    },
    {
      group: t.audit.otherPeople,
      items: others.map(({ id, name, status, deleted }) => ({
        value: String(id),
        label: `${name} (${deleted ? t.audit.deletedPerson : t.user.statuses[status]})`,
      })),
    },
  ].filter(({ items }) => items.length > 0);
  // No user has the id in the link.
  const missing = value !== undefined && !people.some(({ id }) => id === value);
  const own = missing ? [{ value: String(value), label: t.audit.unknownPerson(value) }] : [];
  return (
    <Select
      label={t.audit.person}
      placeholder={t.audit.anyone}
      w={{ base: '100%', xs: 220 }}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t.audit.anyone }}
      nothingFoundMessage={t.audit.noPerson}
      data={[...own, ...groups]}
      value={value === undefined ? null : String(value)}
      onChange={(id) => onChange(id === null ? undefined : Number(id))}
    />
  );
}

const DELAY_MS = 400;

function RecordInput({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const t = useT();
  const [text, change] = useDebouncedText(value, onChange, DELAY_MS);
  return (
    <TextInput
      label={t.audit.entityId}
      w={{ base: 'calc(50% - 5px)', xs: 110 }}
      maxLength={80}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** The actions by group; a group stands for all of its actions. */
function ActionSelect({ value, onChange }: { value: string; onChange: (action: string) => void }) {
  const t = useT();
  const names = Object.entries(t.audit.actions);
  const groups = Object.entries(t.audit.actionGroups);
  const known = names.some(([code]) => code === value) || groups.some(([group]) => `${group}.` === value);
  return (
    <NativeSelect
      label={t.audit.action}
      w={{ base: '100%', xs: 220 }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{t.audit.anyAction}</option>
      {!known && value !== '' && <option value={value}>{value}</option>}
      {groups.map(([group, name]) => (
        <optgroup key={group} label={name}>
          <option value={`${group}.`}>{t.audit.wholeGroup(name)}</option>
          {names
            .filter(([code]) => code.startsWith(`${group}.`))
            .map(([code, text]) => (
              <option key={code} value={code}>
                {text}
              </option>
            ))}
        </optgroup>
      ))}
    </NativeSelect>
  );
}
