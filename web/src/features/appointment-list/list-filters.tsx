import { Button, Collapse, NativeSelect } from '@mantine/core';
import { IconFilter, IconFilterOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { CHANNELS, KINDS } from '@/entities/appointment/api';
import { allServicesQuery } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import { staffQuery } from '@/entities/user/api';
import { useLanguage, useT } from '@/i18n/provider';
import print from '@/ui/print.module.css';
import { PrintHeading } from '@/ui/print-heading';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { useAfterPaint } from '@/ui/use-after-paint';
import { usePhone } from '@/ui/use-phone';
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

/** The period, and what narrows the list; the latter behind a button on a phone. */
export function ListFilters({ search, onChange }: ListFiltersProps) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.appointment.list;
  const phone = usePhone();
  const [opened, setOpened] = useState(false);
  const [custom, setCustom] = useState(false);
  const panelId = useId();
  const { data: services = [] } = useQuery(allServicesQuery);
  const { data: staff = [] } = useQuery(staffQuery);
  const count = countFilters(search);
  const range = custom ? 'custom' : rangeOf(search);
  const { dateFrom, dateTo } = daysOf(search);
  const statusNames = { ...t.appointment.statuses, ...words.statusGroups };
  const quick = RANGES.filter((one) => one !== 'custom' || range === 'custom');
  return (
    <div className={print.screen}>
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
      {phone && (
        <Button
          variant="default"
          fullWidth
          mt="xs"
          aria-expanded={opened}
          aria-controls={panelId}
          leftSection={<IconFilter size={16} aria-hidden />}
          onClick={() => setOpened(!opened)}
        >
          {count > 0 ? words.filtersOn(count) : words.filters}
        </Button>
      )}
      <Collapse expanded={!phone || opened} id={panelId}>
        <search className={classes.filters}>
          <Choice
            label={t.appointment.field.serviceId}
            all={words.allServices}
            value={search.service}
            choices={services.map((service) => [String(service.id), serviceName(service, language)])}
            onChange={(id) => onChange({ service: id ? Number(id) : undefined })}
          />
          <Choice
            label={t.appointment.field.status}
            all={words.allStatuses}
            value={search.status}
            choices={STATUS_CHOICES.map((one) => [one, statusNames[one]])}
            onChange={(status) => onChange({ status: STATUS_CHOICES.find((one) => one === status) })}
          />
          <Choice
            label={t.appointment.field.staffId}
            all={words.allStaff}
            value={search.staff}
            choices={staff.map(({ id, name }) => [String(id), name])}
            onChange={(id) => onChange({ staff: id ? Number(id) : undefined })}
          />
          <Choice
            label={t.appointment.field.channel}
            all={words.allChannels}
            value={search.channel}
            choices={CHANNELS.map((one) => [one, t.appointment.channels[one]])}
            onChange={(channel) => onChange({ channel: CHANNELS.find((one) => one === channel) })}
          />
          <Choice
            label={t.appointment.field.kind}
            all={words.allKinds}
            value={search.kind}
            choices={KINDS.map((one) => [one, t.appointment.kinds[one]])}
            onChange={(kind) => onChange({ kind: KINDS.find((one) => one === kind) })}
          />
          {(count > 0 || search.q !== '') && (
            <Button
              variant="subtle"
              leftSection={<IconFilterOff size={16} aria-hidden />}
              onClick={() => onChange(NO_FILTERS)}
            >
              {t.action.clearFilters}
            </Button>
          )}
        </search>
      </Collapse>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  value: string | number | undefined;
  choices: [value: string, name: string][];
  onChange: (value: string) => void;
}

/** All that can be chosen comes a frame later: until then what is chosen is enough to be seen. */
function Choice({ label, all, value, choices, onChange }: ChoiceProps) {
  const whole = useAfterPaint(true, false);
  const shown = whole ? choices : choices.filter(([code]) => code === String(value));
  return (
    <NativeSelect
      className={classes.filter}
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      <option value="">{all}</option>
      {shown.map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </NativeSelect>
  );
}
