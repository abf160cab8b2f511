import { Button, Card, SegmentedControl, Skeleton, Text, Title } from '@mantine/core';
import { IconCalendarOff, IconLock, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { memo, type RefObject, useCallback, useMemo, useRef } from 'react';
import { APPOINTMENT_STATUSES, STATUS_LOOKS } from '@/entities/appointment/appointment-status';
import { allServicesQuery, type Service } from '@/entities/service/api';
import { serviceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { staffQuery } from '@/entities/user/api';
import { useLanguage, useT } from '@/i18n/provider';
import { hospitalToday } from '@/lib/thai-date';
import { DaySwitcher } from '@/ui/day-switcher';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import { ClearFilters, FilterSelect } from '@/ui/filter-bar';
import bar from '@/ui/filter-bar.module.css';
import { Legend, Swatch } from '@/ui/legend';
import { LinkButton } from '@/ui/link-button';
import print from '@/ui/print.module.css';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { showNotice } from '@/ui/toast';
import { Turner } from '@/ui/turner';
import { useAfterPaint } from '@/ui/use-after-paint';
import { useKeyboard } from '@/ui/use-keyboard';
import { useToday } from '@/ui/use-today';
import { type Calendar, calendarQuery } from './api';
import './calendar.module.css';
import './day-load.css';
import type { Level } from '@/entities/appointment/load';
import { SHOW_LOAD, SHOW_NAMES } from '@/entities/appointment/permissions';
import { usePhone } from '@/ui/use-phone';
import { CalendarCards, type CalendarDialogs } from './calendar-card';
import { dayGrid, dropTarget, narrow, weekGrid } from './calendar-grid';
import { MonthView } from './calendar-month';
import classes from './calendar-page.module.css';
import {
  type CalendarSearch,
  calendarAsk,
  datesOf,
  NO_FILTERS,
  SHOWN,
  titleOf,
  turned,
  VIEWS,
} from './calendar-search';
import { StatusSprite } from './calendar-slot';
import { type SlotActions, Slots } from './calendar-slots';
import { CalendarUnavailable, NoNames } from './calendar-unavailable';

const route = getRouteApi('/_signed-in/app/appointment/calendar');
const LEVELS: Level[] = ['low', 'half', 'high', 'full', 'over'];

/** Shown until the load of a month is fetched: its days without load. */
const NOTHING_YET: Calendar = { days: [], appointments: [], slots: [] };

/** The calendar, or the permission it needs if the user may not even see how full the days are. */
export function CalendarPage() {
  return useCan()(...SHOW_LOAD) ? <CalendarContent /> : <CalendarUnavailable />;
}

/** The appointments by day. View, date and filters are in the address. */
function CalendarContent() {
  const names = useCan()(...SHOW_NAMES);
  const search = route.useSearch();
  const { service, staff, status } = search;
  const today = useToday();
  const date = search.date ?? today;
  const navigate = route.useNavigate();
  const services = useQuery(allServicesQuery);
  const query = useQuery(calendarQuery(calendarAsk(search, date, names)));
  const dialogs = useRef<CalendarDialogs>(null);
  const change = useCallback(
    (part: Partial<CalendarSearch>) =>
      void navigate({ search: (now) => ({ ...now, ...part }), resetScroll: false }),
    [navigate],
  );
  const { data, isPlaceholderData } = query;
  const asked = useMemo(() => {
    const calendar = data && (isPlaceholderData ? narrow(data, { service, staff, status }) : data);
    return { search, date, calendar, services: services.data, busy: isPlaceholderData || !data };
  }, [search, date, data, isPlaceholderData, service, staff, status, services.data]);
  // The buttons respond at once; the calendar is rendered after that.
  const drawn = useAfterPaint(asked);
  return (
    <Card
      withBorder
      padding="md"
      className={`${classes.page} ${print.sheet}`}
      data-wide-paper={search.view !== 'month' || undefined}
    >
      <Toolbar search={search} date={date} onChange={change} />
      <Filters search={search} services={services.data ?? []} onChange={change} />
      {query.error && <ErrorAlert error={query.error} onRetry={query.refetch} />}
      {services.error && <ErrorAlert error={services.error} onRetry={services.refetch} />}
      {!names && <NoNames />}
      <div className={classes.view}>
        {!query.error && !services.error && <View {...drawn} dialogs={dialogs} onChange={change} />}
      </div>
      <CalendarCards ref={dialogs} />
    </Card>
  );
}

function Waiting() {
  const t = useT();
  return <Skeleton h={520} role="status" aria-label={t.app.loading} />;
}

interface PartProps {
  search: CalendarSearch;
  onChange: (part: Partial<CalendarSearch>) => void;
}

function Toolbar({ search, date, onChange }: PartProps & { date: string }) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const words = t.calendar;
  const { view, service } = search;
  const today = hospitalToday();
  return (
    <div className={classes.toolbar}>
      <Turner
        previous={words.previous[view]}
        next={words.next[view]}
        onTurn={(step) => onChange({ date: turned(view, date, step) })}
      >
        <Button variant="default" h={34} px="sm" onClick={() => onChange({ date: undefined })}>
          {words.today}
        </Button>
      </Turner>
      <Title order={2} className={`tabular ${classes.title}`} aria-live="polite">
        {titleOf(view, date, language)}
      </Title>
      <ThaiDateInput
        aria-label={words.jump}
        className={`${classes.jump} ${print.screen}`}
        value={date}
        onChange={(day) => day && onChange({ date: day })}
      />
      <SegmentedControl
        className={print.screen}
        aria-label={words.view}
        value={view}
        onChange={(next) => onChange({ view: VIEWS.find((one) => one === next) })}
        data={VIEWS.map((one) => ({ value: one, label: words.views[one] }))}
        transitionDuration={0}
      />
      {can('APPOINTMENT.CREATE') && (
        <LinkButton
          to="/app/appointment/create"
          search={{ serviceId: service, date: view === 'day' && date >= today ? date : undefined }}
          className={classes.book}
          leftSection={<IconPlus size={16} aria-hidden />}
        >
          {words.book}
        </LinkButton>
      )}
    </div>
  );
}

function Filters({ search, services, onChange }: PartProps & { services: Service[] }) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.appointment.list;
  const names = useCan()(...SHOW_NAMES);
  const { data: staff = [] } = useQuery({ ...staffQuery, enabled: names });
  const { view, service, staff: staffId, status } = search;
  const byStaff = names && view !== 'month';
  const byStatus = names || view === 'month';
  const filtered = service || (status && byStatus) || (staffId && byStaff);
  return (
    <search className={`${bar.filters} ${classes.filters} ${print.screen}`} aria-label={t.calendar.filters}>
      <FilterSelect
        aria-label={t.appointment.field.serviceId}
        all={words.allServices}
        value={service}
        choices={services
          .filter(({ id, active }) => active || id === service)
          .map((one) => [one.id, serviceName(one, language)])}
        onChange={(id) => onChange({ service: id })}
      />
      {/* A month shows the seats of a service, which are not counted by doctor. */}
      {byStaff && (
        <FilterSelect
          aria-label={t.appointment.field.staffId}
          all={words.allStaff}
          value={staffId}
          choices={staff.map(({ id, name }) => [id, name])}
          onChange={(id) => onChange({ staff: id })}
        />
      )}
      {byStatus && (
        <FilterSelect
          aria-label={t.appointment.field.status}
          all={view === 'month' ? t.calendar.allStatusesMonth : t.calendar.allStatuses}
          value={status}
          choices={APPOINTMENT_STATUSES.map((one) => [one, t.appointment.statuses[one]])}
          onChange={(one) => onChange({ status: one })}
        />
      )}
      {filtered && <ClearFilters onClick={() => onChange(NO_FILTERS)} />}
    </search>
  );
}

interface ViewProps extends PartProps {
  date: string;
  /** Undefined until they are fetched. */
  calendar: Calendar | undefined;
  services: Service[] | undefined;
  busy: boolean;
  dialogs: RefObject<CalendarDialogs | null>;
}

const View = memo(function View(props: ViewProps) {
  const { search, date, services, busy, onChange } = props;
  const { language } = useLanguage();
  const month = search.view === 'month';
  const calendar = props.calendar ?? (month ? NOTHING_YET : undefined);
  const serviceNames = useMemo(
    () => new Map(services?.map((one) => [one.id, { name: serviceName(one, language), color: one.color }])),
    [services, language],
  );
  if (!calendar || !services) return <Waiting />;
  if (month) {
    return (
      <>
        <MonthView
          search={search}
          date={date}
          days={calendar.days}
          serviceNames={serviceNames}
          busy={busy}
          onDate={(day) => onChange({ date: day })}
        />
        <LoadLegend />
      </>
    );
  }
  return <People {...props} calendar={calendar} services={services} serviceNames={serviceNames} />;
});

interface PeopleProps extends ViewProps {
  calendar: Calendar;
  services: Service[];
  serviceNames: ReadonlyMap<number, { name: string; color: string }>;
}

/** A week or a day: slots with the people in them. Phones show one day, with one service below the other. */
function People({ search, date, calendar, services, busy, dialogs, onChange, serviceNames }: PeopleProps) {
  const t = useT();
  const gridHints = t.calendar.gridHint[useKeyboard() ? 'keys' : 'touch'];
  const can = useCan();
  const { language } = useLanguage();
  const navigate = route.useNavigate();
  const phone = usePhone();
  const { view, service } = search;
  const byService = view === 'day' || phone;
  const grid = useMemo(() => {
    if (view === 'week' && !byService)
      return weekGrid({ calendar, dates: datesOf('week', date), serviceId: service });
    const onDay = <Item extends { date: string }>(items: Item[]) => items.filter((one) => one.date === date);
    return dayGrid({
      calendar: { ...calendar, appointments: onDay(calendar.appointments), slots: onDay(calendar.slots) },
      services,
    });
  }, [view, byService, calendar, services, date, service]);
  // Stable callbacks: the slots are rendered again only for a new grid.
  const latest = useRef({ calendar, serviceNames, t, navigate, onChange });
  latest.current = { calendar, serviceNames, t, navigate, onChange };
  const actions = useMemo<SlotActions>(
    () => ({
      open: (appointment) => dialogs.current?.open(appointment),
      book: ({ serviceId, date: day, bookTime }) =>
        void latest.current.navigate({
          to: '/app/appointment/create',
          search: { serviceId: serviceId ?? undefined, date: day, time: bookTime },
        }),
      drop: (appointment, block) => {
        const { calendar: now, serviceNames: names, t: words } = latest.current;
        const { service: own } = appointment;
        const to = dropTarget(now, appointment, block);
        if (to) dialogs.current?.move({ appointment, to });
        else showNotice(words.calendar.move.noSlot(names.get(own.id)?.name ?? own.name));
      },
      openDay: (day) => latest.current.onChange({ view: 'day', date: day }),
    }),
    [dialogs],
  );
  const title = titleOf(view, date, language);
  const load = calendar.days.find((day) => day.date === date);
  const names = can(...SHOW_NAMES);
  const nobody = names && calendar.appointments.length === 0 && (search.staff || search.status);
  return (
    <>
      {view === 'week' && byService && (
        <DaySwitcher
          label={t.calendar.weekDay}
          dates={datesOf('week', date)}
          date={date}
          onChange={(day) => onChange({ date: day })}
        />
      )}
      {byService && load?.closed && (
        <Text className={classes.dayClosed}>
          <IconLock size={16} aria-hidden />{' '}
          {load.reason ? t.calendar.closedFor(load.reason) : t.calendar.closedDay}
        </Text>
      )}
      {byService && !load?.closed && load?.reason && <Text className={classes.dayClosed}>{load.reason}</Text>}
      {nobody && (
        <EmptyState
          icon={IconCalendarOff}
          title={t.calendar.nobody}
          action={
            <Button variant="light" onClick={() => onChange(NO_FILTERS)}>
              {t.action.clearFilters}
            </Button>
          }
        >
          {t.calendar.nobodyHint}
        </EmptyState>
      )}
      {grid.rows.length === 0 && !nobody && (
        <EmptyState
          icon={IconCalendarOff}
          title={services.length > 0 ? t.calendar.noHours : t.calendar.noServices}
        >
          {services.length > 0 ? t.calendar.noHoursHint : t.calendar.noServicesHint}
        </EmptyState>
      )}
      {grid.rows.length > 0 && (
        <>
          <Slots
            grid={grid}
            byService={byService}
            serviceNames={serviceNames}
            label={view === 'week' ? t.calendar.week(title) : t.calendar.day(title)}
            busy={busy}
            stacked={phone}
            mayBook={can('APPOINTMENT.CREATE')}
            mayMove={can('APPOINTMENT.UPDATE')}
            actions={actions}
          />
          {names && (
            <>
              <StatusSprite />
              <StatusLegend />
              <Text size="xs" c="dimmed" className={print.screen}>
                {can('APPOINTMENT.UPDATE') ? gridHints.move : gridHints.read}
              </Text>
            </>
          )}
        </>
      )}
    </>
  );
}

function LoadLegend() {
  const t = useT();
  const keyboard = useKeyboard();
  const hints: Partial<Record<Level, string>> = t.calendar.levelHints;
  return (
    <>
      <Legend label={t.calendar.legend}>
        {LEVELS.map((level) => (
          <li key={level}>
            <Swatch flat data-level={level} />
            {t.calendar.levels[level]}
            {hints[level] && ` (${hints[level]})`}
          </li>
        ))}
      </Legend>
      <Text size="xs" c="dimmed" className={print.screen}>
        {keyboard ? t.calendar.monthHint.keys : t.calendar.monthHint.touch}
      </Text>
    </>
  );
}

function StatusLegend() {
  const t = useT();
  return (
    <Legend label={t.calendar.legend}>
      {SHOWN.map((status) => {
        const { icon: Icon } = STATUS_LOOKS[status];
        return (
          <li key={status}>
            <span className={classes.statusSwatch} data-status={status}>
              <Icon size={13} stroke={2} aria-hidden className={classes.statusIcon} />
            </span>
            {t.appointment.statuses[status]}
          </li>
        );
      })}
    </Legend>
  );
}
