import { ActionIcon, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconConfetti, IconLock, IconPlus, IconTrash, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { allServicesQuery } from '@/entities/service/api';
import { useCan, useMayMoveClosed } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import {
  addDays,
  addMonths,
  firstOfMonth,
  formatLongDate,
  formatMonth,
  hospitalToday,
} from '@/lib/thai-date';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import layout from '@/ui/layout.module.css';
import { MonthTable } from '@/ui/month-table';
import print from '@/ui/print.module.css';
import { Turner } from '@/ui/turner';
import { useDialog } from '@/ui/use-dialog';
import { type Closure, closuresQuery } from './api';
import { ClosureDialog } from './closure-form';
import { closureScope, closureWhen } from './closure-text';
import type { ClosureDraft } from './closure-values';
import { isWholeDay } from './holiday-plan';
import { HolidayYear } from './holiday-year';
import classes from './holidays.module.css';
import { RemoveClosure } from './remove-closure';

const CHIPS_SHOWN = 2;

interface HolidayCalendarProps {
  /** A day of the month, if the page has it in its address. */
  date?: string;
  onDate?: (date: string) => void;
  /** The service of a new closure; by default the whole hospital. */
  serviceId?: number;
}

/** The holidays and closures of a month. They can be added and removed; public holidays are added for a whole year. */
export function HolidayCalendar({ date, onDate, serviceId }: HolidayCalendarProps) {
  const t = useT();
  const { language } = useLanguage();
  const can = useCan();
  const mayMove = useMayMoveClosed();
  const mayChange = can('SERVICE_SCHEDULE.UPDATE');
  const navigate = useNavigate();
  const [own, setOwn] = useState(hospitalToday);
  const month = firstOfMonth(date ?? own);
  const last = addDays(addMonths(month, 1), -1);
  const show = (day: string) => {
    setOwn(day);
    onDate?.(day);
  };
  const query = useQuery(closuresQuery(month, last));
  const adding = useDialog<ClosureDraft>();
  const removing = useDialog<Closure>();
  const year = useDialog<number>();
  const move = (closureId: number) =>
    void navigate({
      to: '/app/serviceSchedule',
      search: { view: 'closures', date: date ?? own, service: serviceId, move: closureId },
    });
  const add = (day: string) => adding.open({ dateFrom: day, dateTo: day, serviceId });
  const name = formatMonth(month, language);
  const today = hospitalToday();
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Turner
          previous={t.schedule.month.previous}
          next={t.schedule.month.next}
          onTurn={(step) => show(addMonths(month, step))}
        >
          <Button variant="default" onClick={() => show(today)}>
            {t.schedule.today}
          </Button>
        </Turner>
        <Text fw={600} role="status" flex="1 1 auto">
          {name}
        </Text>
        {mayChange && (
          <Group gap="xs" className={classes.actions}>
            <Button
              variant="default"
              leftSection={<IconConfetti size={16} aria-hidden />}
              onClick={() => year.open(Number(month.slice(0, 4)))}
            >
              {t.schedule.holidays.open}
            </Button>
            <Button
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => add(month <= today && today <= last ? today : month)}
            >
              {t.schedule.month.add}
            </Button>
          </Group>
        )}
      </Group>
      {!mayChange && (
        <Text size="sm" c="dimmed">
          {t.schedule.month.readOnly}
        </Text>
      )}
      {query.error && <ErrorAlert error={query.error} onRetry={query.refetch} />}
      {!query.data && !query.error && <Skeleton h={320} role="status" aria-label={t.app.loading} />}
      {query.data && (
        <div aria-busy={query.isPlaceholderData}>
          <ClosureMonth
            month={month}
            closures={query.data}
            label={t.schedule.month.label(name)}
            onAdd={mayChange ? add : undefined}
          />
          <ClosureList
            closures={query.data}
            onRemove={mayChange ? removing.open : undefined}
            onMove={mayMove ? move : undefined}
          />
        </div>
      )}
      <ClosureDialog dialog={adding} onMove={move} />
      <RemoveClosure dialog={removing} />
      <HolidayYear dialog={year} onMove={move} />
    </Stack>
  );
}

interface ClosureMonthProps {
  month: string;
  closures: Closure[];
  label: string;
  onAdd?: (day: string) => void;
}

function ClosureMonth({ month, closures, label, onAdd }: ClosureMonthProps) {
  const t = useT();
  const on = (day: string) => closures.filter(({ dateFrom, dateTo }) => dateFrom <= day && day <= dateTo);
  return (
    <MonthTable
      className={classes.month}
      label={label}
      date={month}
      today={hospitalToday()}
      isClosed={(day) => on(day).some(isWholeDay)}
    >
      {(day, outside) =>
        !outside && (
          <>
            <DayNumber day={day} onAdd={onAdd} />
            {on(day)
              .slice(0, CHIPS_SHOWN)
              .map((closure) => (
                <span key={closure.id} className={classes.chip} title={closure.reason}>
                  <KindIcon closure={closure} /> {closure.reason}
                </span>
              ))}
            {on(day).length > CHIPS_SHOWN && (
              <span className={classes.more}>{t.schedule.month.more(on(day).length - CHIPS_SHOWN)}</span>
            )}
          </>
        )
      }
    </MonthTable>
  );
}

function KindIcon({ closure }: { closure: Closure }) {
  const Icon = closure.kind === 'HOLIDAY' ? IconConfetti : IconLock;
  return <Icon size={12} aria-hidden />;
}

function DayNumber({ day, onAdd }: { day: string; onAdd?: (day: string) => void }) {
  const t = useT();
  const { language } = useLanguage();
  const number = Number(day.slice(8));
  if (!onAdd) return <span className={`${layout.plain} ${classes.number}`}>{number}</span>;
  return (
    <button
      type="button"
      className={`${layout.plain} ${classes.number}`}
      aria-label={`${number}: ${t.schedule.month.addOn(formatLongDate(day, language))}`}
      onClick={() => onAdd(day)}
    >
      {number}
    </button>
  );
}

interface ClosureListProps {
  closures: Closure[];
  onRemove?: (closure: Closure) => void;
  onMove?: (closureId: number) => void;
}

function ClosureList({ closures, onRemove, onMove }: ClosureListProps) {
  const t = useT();
  const { language } = useLanguage();
  const { data: services = [] } = useQuery(allServicesQuery);
  const today = hospitalToday();
  if (closures.length === 0) return <EmptyState icon={IconConfetti} title={t.schedule.month.none} />;
  return (
    <ul className={classes.list} aria-label={t.schedule.month.list}>
      {closures.map((closure) => {
        const when = closureWhen(t, language, closure);
        return (
          <li key={closure.id} className={classes.item}>
            <span className={classes.kind}>
              <KindIcon closure={closure} /> {t.schedule.closure.kinds[closure.kind ?? 'CLOSED']}
            </span>
            <span className={classes.what}>
              <b>{closure.reason}</b>
              <span className={classes.when}>
                {when} · {closureScope(t, language, closure, services)}
              </span>
            </span>
            <span className={`${classes.tools} ${print.screen}`}>
              {onMove && closure.dateTo >= today && (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  leftSection={<IconUsers size={14} aria-hidden />}
                  aria-label={t.schedule.month.moveNamed(`${closure.reason} ${when}`)}
                  onClick={() => onMove(closure.id)}
                >
                  {t.schedule.month.move}
                </Button>
              )}
              {onRemove && (
                <ActionIcon
                  variant="subtle"
                  color="red"
                  c="var(--mantine-color-error)"
                  aria-label={t.schedule.closure.removeNamed(closure.reason, when)}
                  onClick={() => onRemove(closure)}
                >
                  <IconTrash size={16} aria-hidden />
                </ActionIcon>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
