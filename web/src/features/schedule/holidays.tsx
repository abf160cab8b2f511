import { ActionIcon, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import {
  IconChevronLeft,
  IconChevronRight,
  IconConfetti,
  IconLock,
  IconPlus,
  IconTrash,
  IconUsers,
} from '@tabler/icons-react';
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
  weekdayName,
} from '@/lib/thai-date';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import { useDialog } from '@/ui/use-dialog';
import { type Closure, closuresQuery } from './api';
import { ClosureDialog } from './closure-form';
import { closureScope, closureWhen } from './closure-text';
import type { ClosureDraft } from './closure-values';
import { isWholeDay } from './holiday-plan';
import { HolidayYear } from './holiday-year';
import classes from './holidays.module.css';
import { RemoveClosure } from './remove-closure';
import { weekOf } from './week';

const CHIPS_SHOWN = 2;

interface HolidayCalendarProps {
  /** A day of the month that is shown, where the page keeps it. */
  date?: string;
  onDate?: (date: string) => void;
  /** A closure that is added starts with this service; otherwise with the whole hospital. */
  serviceId?: number;
}

/** A month of holidays and closures, with adding and removing them; all public holidays of a year at once. */
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
      <div className={classes.bar}>
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t.schedule.month.previous}
            onClick={() => show(addMonths(month, -1))}
          >
            <IconChevronLeft size={18} className={classes.arrow} aria-hidden />
          </ActionIcon>
          <Button variant="default" onClick={() => show(today)}>
            {t.schedule.today}
          </Button>
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={t.schedule.month.next}
            onClick={() => show(addMonths(month, 1))}
          >
            <IconChevronRight size={18} className={classes.arrow} aria-hidden />
          </ActionIcon>
        </Group>
        <Text fw={600} role="status" className={classes.name}>
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
      </div>
      {!mayChange && (
        <Text size="sm" c="dimmed">
          {t.schedule.month.readOnly}
        </Text>
      )}
      {query.error && <ErrorAlert error={query.error} onRetry={query.refetch} />}
      {!query.data && !query.error && <Skeleton h={320} role="status" aria-label={t.app.loading} />}
      {query.data && (
        <div aria-busy={query.isPlaceholderData}>
          <MonthTable
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

interface MonthTableProps {
  month: string;
  closures: Closure[];
  label: string;
  onAdd?: (day: string) => void;
}

function MonthTable({ month, closures, label, onAdd }: MonthTableProps) {
  const t = useT();
  const { language } = useLanguage();
  const today = hospitalToday();
  const weeks = [0, 1, 2, 3, 4, 5]
    .map((index) => weekOf(addDays(month, index * 7)))
    .filter((days) => days.some((day) => day.startsWith(month.slice(0, 7))));
  return (
    <table className={classes.month} aria-label={label}>
      <thead>
        <tr>
          {[0, 1, 2, 3, 4, 5, 6].map((weekday) => (
            <th key={weekday} scope="col" abbr={weekdayName(weekday, language)}>
              {weekdayName(weekday, language, true)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((days) => (
          <tr key={days[0]}>
            {days.map((day) => {
              const here = closures.filter(({ dateFrom, dateTo }) => dateFrom <= day && day <= dateTo);
              const inside = day.startsWith(month.slice(0, 7));
              return (
                <td
                  key={day}
                  className={classes.day}
                  data-outside={!inside || undefined}
                  data-today={day === today || undefined}
                  data-closed={here.some(isWholeDay) || undefined}
                >
                  {inside && (
                    <>
                      <DayNumber day={day} onAdd={onAdd} />
                      {here.slice(0, CHIPS_SHOWN).map((closure) => (
                        <span key={closure.id} className={classes.chip} title={closure.reason}>
                          <KindIcon closure={closure} /> {closure.reason}
                        </span>
                      ))}
                      {here.length > CHIPS_SHOWN && (
                        <span className={classes.more}>
                          {t.schedule.month.more(here.length - CHIPS_SHOWN)}
                        </span>
                      )}
                    </>
                  )}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
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
  if (!onAdd) return <span className={classes.number}>{number}</span>;
  return (
    <button
      type="button"
      className={classes.number}
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
            <span className={classes.tools}>
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
