import { Popover, useDirection } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { AppointmentStatus } from '@/entities/appointment/api';
import { APPOINTMENT_STATUSES } from '@/entities/appointment/appointment-status';
import { levelOf } from '@/entities/appointment/load';
import { useLanguage, useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { addDays, addMonths, formatLongDate, formatMonth } from '@/lib/thai-date';
import { MonthTable } from '@/ui/month-table';
import { useRovingFocus } from '@/ui/use-roving-focus';
import { useToday } from '@/ui/use-today';
import type { DayLoad } from './api';
import shared from './calendar.module.css';
import { closedText } from './calendar-grid';
import classes from './calendar-month.module.css';
import type { CalendarSearch } from './calendar-search';

interface MonthProps {
  search: CalendarSearch;
  /** A day of the month. */
  date: string;
  /** Empty until they are fetched: days are shown without their load. */
  days: DayLoad[];
  serviceNames: ReadonlyMap<number, { name: string; color: string }>;
  busy: boolean;
  /** Shows another day's month. */
  onDate: (date: string) => void;
}

const route = getRouteApi('/_signed-in/app/appointment/calendar');
/** Placeholder for the date in an address that is built once for all days. */
const ANY_DAY = '0001-01-01';

const STEPS: Record<string, number> = { ArrowUp: -7, ArrowDown: 7 };

/** A month with the load of each day; a day links to its own view. */
export function MonthView({ search, date, days, serviceNames, busy, onDate }: MonthProps) {
  const { status } = search;
  const t = useT();
  const { language } = useLanguage();
  const { dir } = useDirection();
  const box = useRef<HTMLDivElement>(null);
  /** The day that gets the focus once its month is rendered. */
  const wanted = useRef<string | null>(null);
  const onFocus = useRovingFocus(box);
  const loads = useMemo(() => new Map(days.map((day) => [day.date, day])), [days]);
  const navigate = route.useNavigate();
  const router = useRouter();
  const day = (of: string) => ({ ...search, view: 'day' as const, date: of });
  const href = router.buildLocation({ to: '/app/appointment/calendar', search: day(ANY_DAY) }).href;
  const open = (event: MouseEvent) => {
    const link = event.target instanceof Element && event.target.closest('a[data-date]');
    // The browser opens other tabs and windows.
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void navigate({ search: day(link.getAttribute('data-date') ?? date) });
  };
  const today = useToday();
  const press = (event: KeyboardEvent) => {
    const from = event.target instanceof Element && event.target.getAttribute('data-date');
    if (!from) return;
    const to = dayFrom(from, event.key, dir === 'rtl');
    if (!to) return;
    event.preventDefault();
    if (focusDay(box.current, to)) return;
    wanted.current = to;
    onDate(to);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys move between the links inside.
    <div
      ref={box}
      className={classes.month}
      aria-busy={busy}
      onClick={open}
      onKeyDown={press}
      onFocus={onFocus}
    >
      <MonthTable
        className={classes.monthTable}
        label={t.calendar.month(formatMonth(date, language))}
        date={date}
        today={today}
        isClosed={(day) => loads.get(day)?.closed ?? false}
      >
        {(day) => (
          <MonthDay
            date={day}
            load={loads.get(day)}
            serviceNames={serviceNames}
            status={status}
            href={href}
            today={day === today}
            selected={day === date}
            wanted={wanted}
          />
        )}
      </MonthTable>
    </div>
  );
}

function focusDay(box: HTMLElement | null, date: string): boolean {
  const day = box?.querySelector<HTMLElement>(`[data-item][data-date="${date}"]`);
  day?.focus();
  return day !== null && day !== undefined;
}

function dayFrom(date: string, key: string, rtl: boolean): string | null {
  const step = STEPS[key] ?? { ArrowLeft: rtl ? 1 : -1, ArrowRight: rtl ? -1 : 1 }[key];
  if (step !== undefined) return addDays(date, step);
  if (key === 'PageUp') return addMonths(date, -1);
  return key === 'PageDown' ? addMonths(date, 1) : null;
}

interface MonthDayProps {
  date: string;
  load: DayLoad | undefined;
  serviceNames: MonthProps['serviceNames'];
  /** The day also shows how many appointments have this status. */
  status: AppointmentStatus | undefined;
  /** The address of a day, with ANY_DAY instead of the date. */
  href: string;
  today: boolean;
  /** The first tab stop. */
  selected: boolean;
  /** The day that takes the focus when it is rendered. */
  wanted: RefObject<string | null>;
}

/** The text of a day for screen readers. */
function dayText(t: Messages, load: DayLoad | undefined, status: AppointmentStatus | undefined): string {
  if (!load) return '';
  const { closed, booked, capacity } = load;
  const level = levelOf(booked, capacity);
  const parts = [
    closedText(t, load),
    closed && booked > 0 && t.calendar.stillBooked(booked),
    !closed &&
      (level === 'none'
        ? t.calendar.notOpen
        : `${t.calendar.loadOf(booked, capacity)} ${t.calendar.levels[level]}`),
    status && t.calendar.statusCount(t.appointment.statuses[status], load.byStatus[status] ?? 0),
  ];
  return parts.filter(Boolean).join(' ');
}

/** Hovering or focusing a day shows its load by service; leaving it hides that after this time. */
const LINGER_MS = 120;

const MonthDay = memo(function MonthDay(props: MonthDayProps) {
  const { date, load, serviceNames, status, href, today, selected, wanted } = props;
  const t = useT();
  const { language } = useLanguage();
  const [opened, setOpened] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (wanted.current === date) {
      wanted.current = null;
      link.current?.focus();
    }
    return () => clearTimeout(timer.current);
  }, [date, wanted]);
  const turn = (next: boolean, wait = LINGER_MS) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpened(next), wait);
  };
  const { closed = false, reason = '', booked = 0, capacity = 0, services = [] } = load ?? {};
  const level = levelOf(booked, capacity);
  const told = services.length > 0;
  return (
    <>
      <a
        ref={link}
        href={href.replace(ANY_DAY, date)}
        className={classes.dayCard}
        data-item
        data-date={date}
        data-level={level}
        tabIndex={selected ? 0 : -1}
        aria-current={today ? 'date' : undefined}
        aria-label={`${formatLongDate(date, language)} ${dayText(t, load, status)}`}
        aria-describedby={opened && told ? id : undefined}
        onMouseEnter={() => turn(true)}
        onMouseLeave={() => turn(false)}
        onFocus={() => turn(true, 0)}
        onBlur={() => turn(false, 0)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') turn(false, 0);
        }}
      >
        <span className={classes.dayNumber}>{Number(date.slice(8))}</span>
        {(closed || reason) && (
          <span className={classes.dayReason}>
            {closed && <IconLock size={12} aria-hidden />} {reason || t.calendar.closed}
          </span>
        )}
        {(capacity > 0 || booked > 0) && (
          <>
            <span className={classes.dayLoad}>
              <bdi className={classes.dayNumbers}>
                {booked}
                <span className={classes.dayCapacity}>/{capacity}</span>
              </bdi>{' '}
              <span className={classes.dayLevel}>{t.calendar.levels[level]}</span>
            </span>
            <LoadBar booked={booked} capacity={capacity} />
          </>
        )}
        {status && load && (
          <span className={classes.dayStatus}>
            {t.calendar.statusCount(t.appointment.statuses[status], load.byStatus[status] ?? 0)}
          </span>
        )}
      </a>
      {opened && told && load && (
        <Popover
          opened
          position="bottom-start"
          withinPortal
          shadow="md"
          withRoles={false}
          trapFocus={false}
          returnFocus={false}
          transitionProps={{ duration: 0 }}
        >
          <Popover.Target>
            <span className={classes.dayFoot} />
          </Popover.Target>
          <Popover.Dropdown
            id={id}
            role="tooltip"
            className={classes.breakdown}
            onMouseEnter={() => turn(true, 0)}
            onMouseLeave={() => turn(false)}
          >
            <Breakdown load={load} serviceNames={serviceNames} />
          </Popover.Dropdown>
        </Popover>
      )}
    </>
  );
});

function LoadBar({ booked, capacity }: { booked: number; capacity: number }) {
  const share = capacity > 0 ? Math.min(1, booked / capacity) : 1;
  return (
    <span className={classes.bar} data-level={levelOf(booked, capacity)} aria-hidden>
      <span style={{ inlineSize: `${share * 100}%` }} />
    </span>
  );
}

function Breakdown({ load, serviceNames }: { load: DayLoad; serviceNames: MonthProps['serviceNames'] }) {
  const t = useT();
  const { language } = useLanguage();
  const counted = APPOINTMENT_STATUSES.filter((one) => load.byStatus[one]);
  return (
    <>
      <div className={classes.breakdownTitle}>{formatLongDate(load.date, language)}</div>
      <ul className={classes.breakdownList} aria-label={t.calendar.byService}>
        {load.services.map(({ serviceId, booked, capacity }) => {
          const service = serviceNames.get(serviceId);
          return (
            <li key={serviceId}>
              <span className={shared.serviceName} style={{ borderColor: service?.color }}>
                {service?.name ?? `#${serviceId}`}
              </span>
              <bdi className={classes.breakdownLoad}>
                {booked}/{capacity}
              </bdi>
              <LoadBar booked={booked} capacity={capacity} />
            </li>
          );
        })}
      </ul>
      {counted.length > 0 && (
        <p className={classes.breakdownStatuses}>
          {counted
            .map((one) => t.calendar.statusCount(t.appointment.statuses[one], load.byStatus[one] ?? 0))
            .join(' · ')}
        </p>
      )}
    </>
  );
}
