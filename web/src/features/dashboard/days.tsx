import type { ReactNode } from 'react';
import type { Language } from '@/i18n/language';
import { useLanguage, useT } from '@/i18n/provider';
import { formatLongDate, weekdayName, weekdayOf } from '@/lib/thai-date';
import type { Dashboard } from './api';
import { Card } from './card';
import classes from './dashboard.module.css';
import { DayChart } from './day-chart';
import { type ListFilter, ListLink } from './list-link';
import { percent } from './numbers';

/** 'จ. 16' */
function dayName(date: string, language: Language): string {
  return `${weekdayName(weekdayOf(date), language, true)} ${Number(date.slice(8))}`;
}

/** The outcome of the previous seven days. */
export function Trend({ dashboard: { trend } }: { dashboard: Dashboard }) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.dashboard;
  const figure = (date: string, status: ListFilter['status'], count: number) => (
    <td>
      <ListLink filter={{ from: date, to: date, status }} className={classes.figure}>
        {count}
      </ListLink>
    </td>
  );
  return (
    <Card title={words.trend}>
      <DayChart
        days={trend.map(({ date, completed, noShow, cancelled }) => ({
          name: dayName(date, language),
          values: [completed, noShow, cancelled],
        }))}
        series={[
          { label: words.completed, colour: 'var(--mantine-color-green-7)' },
          { label: words.noShow, colour: 'var(--mantine-color-red-7)' },
          { label: words.cancelled, colour: 'var(--mantine-color-gray-5)' },
        ]}
      />
      <Days label={words.trend} columns={[words.booked, words.completed, words.noShow, words.cancelled]}>
        {trend.map(({ date, booked, completed, noShow, cancelled }) => (
          <tr key={date}>
            <DayCell date={date} />
            {figure(date, 'SEATED', booked)}
            {figure(date, 'COMPLETED', completed)}
            {figure(date, 'NO_SHOW', noShow)}
            {figure(date, 'CANCELLED', cancelled)}
          </tr>
        ))}
      </Days>
    </Card>
  );
}

/** The load of the next seven days. */
export function Ahead({ dashboard: { ahead } }: { dashboard: Dashboard }) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.dashboard;
  return (
    <Card title={words.ahead}>
      <DayChart
        days={ahead.map(({ date, booked, capacity }) => ({
          name: dayName(date, language),
          values: [booked, Math.max(0, capacity - booked)],
        }))}
        series={[
          { label: words.booked, colour: 'var(--mantine-color-blue-7)' },
          { label: words.free, colour: 'var(--mantine-color-default-border)' },
        ]}
      />
      <Days label={words.ahead} columns={[words.load, '%']}>
        {ahead.map(({ date, booked, capacity, closed, reason }) => {
          const share = percent(booked, capacity);
          return (
            <tr key={date}>
              <DayCell date={date} />
              <td>
                <ListLink filter={{ from: date, to: date, status: 'SEATED' }} className={classes.figure}>
                  <bdi>{words.loadText(booked, capacity)}</bdi>
                </ListLink>
                {reason && (
                  <span className={classes.reason}>
                    {closed ? words.closedFor(reason) : words.partlyClosed(reason)}
                  </span>
                )}
              </td>
              <td>
                {capacity > 0 ? words.percent(share) : words.states.NONE}
                {capacity > 0 && share >= 100 && ` ${words.states.FULL}`}
              </td>
            </tr>
          );
        })}
      </Days>
    </Card>
  );
}

function DayCell({ date }: { date: string }) {
  const { language } = useLanguage();
  return (
    <th scope="row" title={formatLongDate(date, language)}>
      {dayName(date, language)}
    </th>
  );
}

/** The figures of the chart as a table with links. */
function Days({ label, columns, children }: { label: string; columns: string[]; children: ReactNode }) {
  const t = useT();
  return (
    <table className={classes.days} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{t.dashboard.day}</th>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
