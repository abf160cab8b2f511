import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CHANNELS, KINDS } from '@/entities/appointment/api';
import { allServicesQuery } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import { staffQuery } from '@/entities/user/api';
import { useLanguage, useT } from '@/i18n/provider';
import { FilterBar, FilterSelect } from '@/ui/filter-bar';
import print from '@/ui/print.module.css';
import { PrintHeading } from '@/ui/print-heading';
import { ThaiDateInput } from '@/ui/thai-date-input';
import classes from './list.module.css';
import {
  countFilters,
  daysOf,
  filtersText,
  type ListSearch,
  NO_FILTERS,
  periodText,
  RANGES,
  rangeOf,
  STATUS_CHOICES,
} from './list-search';

interface ListFiltersProps {
  search: ListSearch;
  onChange: (change: Partial<ListSearch>) => void;
}

/** The heading of the printed list: the filters as text. */
export function ListHeading({ search }: Pick<ListFiltersProps, 'search'>) {
  const t = useT();
  const { language } = useLanguage();
  const { data: services = [] } = useQuery(allServicesQuery);
  const { data: staff = [] } = useQuery(staffQuery);
  const service = services.find(({ id }) => id === search.service);
  return (
    <PrintHeading
      title={`${t.appointment.list.title} ${periodText(t, language, search)}`}
      criteria={filtersText(t, search, {
        service: service && serviceName(service, language),
        staff: staff.find(({ id }) => id === search.staff)?.name,
      })}
    />
  );
}

/** The period and the filters. */
export function ListFilters({ search, onChange }: ListFiltersProps) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.appointment.list;
  const [custom, setCustom] = useState(false);
  const { data: services = [] } = useQuery(allServicesQuery);
  const { data: staff = [] } = useQuery(staffQuery);
  const range = custom ? 'custom' : rangeOf(search);
  const { dateFrom, dateTo } = daysOf(search);
  const statusNames = { ...t.appointment.statuses, ...words.statusGroups };
  const quick = RANGES.filter((one) => one !== 'custom' || range === 'custom');
  return (
    <Stack gap="xs" className={print.screen}>
      <fieldset className={classes.ranges} aria-label={words.period}>
        {quick.map((one) => (
          <Button
            key={one}
            size="compact-md"
            variant={range === one ? 'filled' : 'default'}
            aria-pressed={range === one}
            onClick={() => {
              setCustom(false);
              if (one !== 'custom') onChange({ range: one, from: undefined, to: undefined });
            }}
          >
            {words.ranges[one]}
          </Button>
        ))}
        <div className={classes.dates}>
          <ThaiDateInput
            aria-label={words.from}
            placeholder={words.from}
            className={classes.date}
            value={dateFrom ?? null}
            onChange={(from) =>
              onChange({ from: from ?? undefined, to: dateTo && from && dateTo < from ? from : dateTo })
            }
          />
          <ThaiDateInput
            aria-label={words.to}
            placeholder={words.to}
            className={classes.date}
            value={dateTo ?? null}
            onChange={(to) =>
              onChange({ to: to ?? undefined, from: dateFrom && to && dateFrom > to ? to : dateFrom })
            }
          />
        </div>
      </fieldset>
      <FilterBar
        className={classes.filters}
        count={countFilters(search)}
        words={words}
        clearable={countFilters(search) > 0 || search.q !== ''}
        onClear={() => onChange(NO_FILTERS)}
      >
        <FilterSelect
          aria-label={t.appointment.field.serviceId}
          all={words.allServices}
          value={search.service}
          choices={services.map((service) => [service.id, serviceName(service, language)])}
          onChange={(service) => onChange({ service })}
        />
        <FilterSelect
          aria-label={t.appointment.field.status}
          all={words.allStatuses}
          value={search.status}
          choices={STATUS_CHOICES.map((one) => [one, statusNames[one]])}
          onChange={(status) => onChange({ status })}
        />
        <FilterSelect
          aria-label={t.appointment.field.staffId}
          all={words.allStaff}
          value={search.staff}
          choices={staff.map(({ id, name }) => [id, name])}
          onChange={(id) => onChange({ staff: id })}
        />
        <FilterSelect
          aria-label={t.appointment.field.channel}
          all={words.allChannels}
          value={search.channel}
          choices={CHANNELS.map((one) => [one, t.appointment.channels[one]])}
          onChange={(channel) => onChange({ channel })}
        />
        <FilterSelect
          aria-label={t.appointment.field.kind}
          all={words.allKinds}
          value={search.kind}
          choices={KINDS.map((one) => [one, t.appointment.kinds[one]])}
          onChange={(kind) => onChange({ kind })}
        />
      </FilterBar>
    </Stack>
  );
}
