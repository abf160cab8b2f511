import { Button, Card, Menu, Stack } from '@mantine/core';
import { useHotkeys, useLocalStorage } from '@mantine/hooks';
import {
  IconCalendarOff,
  IconChevronDown,
  IconColumns3,
  IconHourglass,
  IconPlus,
  IconPrinter,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type Appointment, appointmentListQuery } from '@/entities/appointment/api';
import { HistoryDrawer } from '@/entities/appointment/history-list';
import { SHOW_NAMES } from '@/entities/appointment/permissions';
import { printDayList } from '@/entities/appointment/print-pdf';
import { useStatusActions } from '@/entities/appointment/use-status-actions';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { DataTable } from '@/ui/data-table';
import type { Column } from '@/ui/data-table-column';
import { DeferredMenu } from '@/ui/deferred-menu';
import { EmptyState } from '@/ui/empty-state';
import { ExportMenu } from '@/ui/export-menu';
import bar from '@/ui/filter-bar.module.css';
import { LinkButton } from '@/ui/link-button';
import print from '@/ui/print.module.css';
import { SearchInput } from '@/ui/search-input';
import { showFailure } from '@/ui/toast';
import { useDialog } from '@/ui/use-dialog';
import { useToday } from '@/ui/use-today';
import { BulkBar } from './bulk-bar';
import { appointmentColumns, FIXED_COLUMNS } from './list-columns';
import { ListFilters, ListHeading } from './list-filters';
import { countFilters, criteriaOf, daysOf, type ListSearch, NO_FILTERS, sortOf } from './list-search';
import { ListUnavailable } from './list-unavailable';
import { RowActions } from './row-actions';

const route = getRouteApi('/_signed-in/app/appointment/list');
const EXPORT = '/admin/api/v1/appointment/export';

/** The list, or the permission it needs if the user may not see names. */
export function AppointmentList() {
  return useCan()(...SHOW_NAMES) ? <List /> : <ListUnavailable />;
}

/** The appointments. Filters, sort and page are in the address; the search text is not (app/history.ts). */
function List() {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const words = t.appointment.list;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { q, page, pageSize } = search;
  // Renders and fetches the list again at midnight, when "today" and "tomorrow" change.
  useToday();
  const query = useQuery(appointmentListQuery({ ...criteriaOf(search), page, pageSize }));
  const actions = useStatusActions();
  const nameOf = useServiceName();
  const history = useDialog<Appointment>();
  const [ticked, setTicked] = useState<Appointment[]>([]);
  const [chosen, setChosen] = useLocalStorage<ColumnChoice>({
    key: 'nadmor.appointment.columns',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const searchBox = useRef<HTMLInputElement>(null);
  // By the physical key: on a Thai keyboard it types ฝ.
  useHotkeys([['slash', () => searchBox.current?.focus(), { preventDefault: true, usePhysicalKeys: true }]]);
  const change = (part: Partial<ListSearch>, replace = false) => {
    setTicked([]);
    void navigate({ search: (now) => ({ ...now, page: 1, ...part }), replace });
  };
  const columns = appointmentColumns({
    t,
    language,
    nameOf,
    actions: (row) => <RowActions appointment={row} actions={actions} onHistory={history.open} />,
  });
  const mayMark = can('APPOINTMENT.MARK_STATUS');
  return (
    <Card withBorder padding="md" className={print.sheet}>
      <Stack gap="sm">
        <ListHeading search={search} />
        <div className={`${bar.bar} ${print.screen}`}>
          <SearchInput
            ref={searchBox}
            className={bar.search}
            label={words.search}
            title={words.searchKey}
            aria-keyshortcuts="/"
            value={q}
            onSearch={(text) => change({ q: text }, true)}
          />
          <div className={bar.tools}>
            <Button
              variant={search.status === 'WAITLISTED' ? 'light' : 'default'}
              aria-pressed={search.status === 'WAITLISTED'}
              title={words.waitingTitle}
              leftSection={<IconHourglass size={16} aria-hidden />}
              onClick={() =>
                change(
                  search.status === 'WAITLISTED'
                    ? { status: undefined, range: 'today' }
                    : { status: 'WAITLISTED', range: 'coming', from: undefined, to: undefined },
                )
              }
            >
              {words.waiting}
            </Button>
            {can('APPOINTMENT.EXPORT') && (
              <ExportMenu words={words} path={EXPORT} criteria={criteriaOf(search)} />
            )}
            <ColumnMenu columns={columns} chosen={chosen} onChange={setChosen} />
            <PrintMenu search={search} />
            {can('APPOINTMENT.CREATE') && (
              <LinkButton to="/app/appointment/create" leftSection={<IconPlus size={16} aria-hidden />}>
                {words.book}
              </LinkButton>
            )}
          </div>
        </div>
        <ListFilters search={search} onChange={change} />
        <DataTable
          label={words.title}
          query={query}
          rowKey={({ id }) => id}
          state={{ sort: sortOf(search), page, pageSize }}
          onChange={(part) => change({ page, ...part })}
          columns={columns
            .filter(({ key }) => chosen[key] !== false)
            .map((column) => (chosen[column.key] ? { ...column, from: undefined } : column))}
          pinLast={Object.values(chosen).includes(true)}
          selection={
            mayMark
              ? {
                  rows: ticked,
                  onChange: setTicked,
                  rowLabel: ({ patient, number }) => words.select(fullName(patient), number),
                  allLabel: words.selectAll,
                }
              : undefined
          }
          emptyIcon={IconCalendarOff}
          empty={
            <EmptyState
              icon={IconCalendarOff}
              title={words.none}
              action={
                (countFilters(search) > 0 || q !== '') && (
                  <Button variant="light" onClick={() => change({ ...NO_FILTERS, range: 'all' })}>
                    {t.action.clearFilters}
                  </Button>
                )
              }
            >
              {words.noneHint}
            </EmptyState>
          }
        />
        {ticked.length > 0 && (
          <BulkBar rows={ticked} onClear={() => setTicked([])} onFreed={actions.seatsFreed} />
        )}
      </Stack>
      <HistoryDrawer appointment={history.subject} opened={history.opened} onClose={history.close} />
      {actions.dialogs}
    </Card>
  );
}

/** Prints the screen or, if one day is chosen, the list for the clinic's door. */
function PrintMenu({ search }: { search: ListSearch }) {
  const t = useT();
  const words = t.appointment.list;
  const { dateFrom, dateTo } = daysOf(search);
  const day = dateFrom === dateTo ? dateFrom : undefined;
  return (
    <DeferredMenu
      button={(props) => (
        <Button
          variant="default"
          visibleFrom="xs"
          leftSection={<IconPrinter size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          {...props}
        >
          {words.print}
        </Button>
      )}
      items={() => (
        <>
          <Menu.Item onClick={() => window.print()}>{words.printScreen}</Menu.Item>
          {day && (
            <Menu.Item
              onClick={() => void printDayList(day, search.service).catch((error) => showFailure(t, error))}
            >
              {words.printDayList}
            </Menu.Item>
          )}
        </>
      )}
    />
  );
}

/** Columns that the user has shown or hidden; the others depend on the width of the screen. */
type ColumnChoice = Record<string, boolean>;

interface ColumnMenuProps {
  columns: Column<Appointment>[];
  chosen: ColumnChoice;
  onChange: (chosen: ColumnChoice) => void;
}

/** Chooses the columns; stored in the browser. */
function ColumnMenu(props: ColumnMenuProps) {
  const words = useT().appointment.list;
  return (
    <DeferredMenu
      staysOpen
      button={(button) => (
        <Button
          variant="default"
          visibleFrom="xs"
          leftSection={<IconColumns3 size={16} aria-hidden />}
          {...button}
        >
          {words.columns}
        </Button>
      )}
      items={() => <ColumnItems {...props} />}
    />
  );
}

/** Rendered when the menu opens, because the default depends on the width of the window. */
function ColumnItems({ columns, chosen, onChange }: ColumnMenuProps) {
  const words = useT().appointment.list;
  const optional = columns.filter(({ key }) => !FIXED_COLUMNS.includes(key));
  const shows = ({ key, from = 0 }: Column<Appointment>) =>
    chosen[key] ?? window.matchMedia(`(min-width: ${from}px)`).matches;
  return (
    <>
      {optional.map((column) => (
        <Menu.CheckboxItem
          key={column.key}
          checked={shows(column)}
          onChange={() => onChange({ ...chosen, [column.key]: !shows(column) })}
        >
          {column.title}
        </Menu.CheckboxItem>
      ))}
      <Menu.Divider />
      <Menu.Item
        disabled={optional.every(shows)}
        onClick={() => onChange(Object.fromEntries(optional.map(({ key }) => [key, true])))}
      >
        {words.allColumns}
      </Menu.Item>
      <Menu.Item disabled={Object.keys(chosen).length === 0} onClick={() => onChange({})}>
        {words.usualColumns}
      </Menu.Item>
    </>
  );
}
