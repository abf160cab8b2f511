import { MultiSelect, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { allServicesQuery } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import { useLanguage, useT } from '@/i18n/provider';
import bar from '@/ui/filter-bar.module.css';
import print from '@/ui/print.module.css';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { yearIn } from './group-name';
import { chosenPeriod, fiscalYear, isCustom, PRESETS, type Preset } from './period';
import classes from './report.module.css';
import { GROUPS, groupOf, type ReportSearch } from './report-search';

interface ReportFiltersProps {
  search: ReportSearch;
  today: string;
  /** The server's error for the last day. */
  dateError?: string;
  onChange: (change: Partial<ReportSearch>) => void;
}

/** Filters for the period, the services and the grouping. */
export function ReportFilters({ search, today, dateError, onChange }: ReportFiltersProps) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.report;
  const { data: services = [] } = useQuery(allServicesQuery);
  const { dateFrom, dateTo } = chosenPeriod(search, today);
  // A preset also clears unreadable text: the inputs are remounted.
  const [choices, setChoices] = useState(0);
  const presetName = (preset: Preset) => {
    const year = yearIn(language, fiscalYear(today));
    switch (preset) {
      case 'fiscalYear':
        return words.presets.fiscalYear(year);
      case 'lastFiscalYear':
        return words.presets.lastFiscalYear(year - 1);
      case 'calendarYear':
        return words.presets.calendarYear(yearIn(language, Number(today.slice(0, 4))));
      default:
        return words.presets[preset];
    }
  };
  const choose = (name: string) => {
    const preset = PRESETS.find((known) => known === name);
    setChoices(choices + 1);
    onChange(preset ? { period: preset, from: undefined, to: undefined } : { from: dateFrom, to: dateTo });
  };
  const groups = GROUPS[search.tab];
  return (
    <search className={`${bar.filters} ${classes.filters} ${print.screen}`}>
      <NativeSelect
        className={classes.period}
        label={words.period}
        value={isCustom(search) ? 'custom' : search.period}
        data={[
          ...PRESETS.map((preset) => ({ value: preset as string, label: presetName(preset) })),
          { value: 'custom', label: words.presets.custom },
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      <ThaiDateInput
        key={`from ${choices}`}
        className={classes.date}
        label={words.from}
        value={dateFrom}
        onChange={(from) => from && onChange(from <= dateTo ? { from, to: dateTo } : { from, to: from })}
      />
      <ThaiDateInput
        key={`to ${choices}`}
        className={classes.date}
        label={words.to}
        value={dateTo}
        error={dateError}
        onChange={(to) => to && onChange(dateFrom <= to ? { from: dateFrom, to } : { from: to, to })}
      />
      <MultiSelect
        className={classes.services}
        label={words.services}
        placeholder={search.services.length > 0 ? undefined : words.allServices}
        data={services.map((one) => ({ value: String(one.id), label: serviceName(one, language) }))}
        value={search.services.map(String)}
        onChange={(ids) => onChange({ services: ids.map(Number) })}
        searchable
        clearable
        hidePickedOptions
        nothingFoundMessage={words.noService}
        maxDropdownHeight={280}
      />
      {groups.length > 1 && (
        <NativeSelect
          className={classes.group}
          label={words.groupBy}
          value={groupOf(search)}
          data={groups.map((group) => ({ value: group as string, label: words.groups[group] }))}
          onChange={({ currentTarget: { value } }) =>
            onChange({ by: groups.find((group) => group === value) })
          }
        />
      )}
    </search>
  );
}
