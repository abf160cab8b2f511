import { Skeleton, Table } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Language } from '@/i18n/language';
import { useLanguage, useT } from '@/i18n/provider';
import { formatLongDate, weekdayName, weekdayOf } from '@/lib/thai-date';
import type { Dashboard } from './api';
import { Card } from './card';
import classes from './dashboard.module.css';
import { type Counted, ListLink } from './list-link';
import { percent } from './numbers';

const DayChart = lazy(() => import('./charts'));

/** 'จ. 16' */
function dayName(date: string, language: Language): string {
  return `${weekdayName(weekdayOf(date), language, true)} ${Number(date.slice(8))}`;
}

/** What came of the seven days before. */
export function Trend({ dashboard: { trend } }: { dashboard: Dashboard }) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.dashboard;
  const figure = (date: string, status: Counted['status'], count: number) => (
    <Table.Td>
      <ListLink counted={{ from: date, to: date, status }} className={classes.figure}>
        {count}
      </ListLink>
    </Table.Td>
  );
  return (
    <Card title={words.trend}>
      <Chart>
        <DayChart
          data={trend.map(({ date, ...counts }) => ({ day: dayName(date, language), ...counts }))}
          series={[
            { name: 'completed', label: words.completed, color: 'green.7' },
            { name: 'noShow', label: words.noShow, color: 'red.7' },
            { name: 'cancelled', label: words.cancelled, color: 'gray.5' },
          ]}
        />
      </Chart>
      <Days label={words.trend} columns={[words.booked, words.completed, words.noShow, words.cancelled]}>
        {trend.map(({ date, booked, completed, noShow, cancelled }) => (
          <Table.Tr key={date}>
            <DayCell date={date} />
            {figure(date, 'SEATED', booked)}
            {figure(date, 'COMPLETED', completed)}
            {figure(date, 'NO_SHOW', noShow)}
            {figure(date, 'CANCELLED', cancelled)}
          </Table.Tr>
        ))}
      </Days>
    </Card>
  );
}

/** How full the seven days after are. */
export function Ahead({ dashboard: { ahead } }: { dashboard: Dashboard }) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.dashboard;
  return (
    <Card title={words.ahead}>
      <Chart>
        <DayChart
          data={ahead.map(({ date, booked, capacity }) => ({
            day: dayName(date, language),
            booked,
            free: Math.max(0, capacity - booked),
          }))}
          series={[
            { name: 'booked', label: words.booked, color: 'blue.7' },
            { name: 'free', label: words.free, color: 'var(--mantine-color-default-border)' },
          ]}
        />
      </Chart>
      <Days label={words.ahead} columns={[words.load, '%']}>
        {ahead.map(({ date, booked, capacity, closed, reason }) => {
          const share = percent(booked, capacity);
          return (
            <Table.Tr key={date}>
              <DayCell date={date} />
              <Table.Td>
                <ListLink counted={{ from: date, to: date, status: 'SEATED' }} className={classes.figure}>
                  <bdi>{words.loadText(booked, capacity)}</bdi>
                </ListLink>
                {reason && (
                  <span className={classes.reason}>
                    {closed ? words.closedFor(reason) : words.partlyClosed(reason)}
                  </span>
                )}
              </Table.Td>
              <Table.Td>
                {capacity > 0 ? words.percent(share) : words.states.NONE}
                {capacity > 0 && share >= 100 && ` ${words.states.FULL}`}
              </Table.Td>
            </Table.Tr>
          );
        })}
      </Days>
    </Card>
  );
}

function Chart({ children }: { children: ReactNode }) {
  return (
    <div className={classes.chart} aria-hidden>
      <Suspense fallback={<Skeleton h={170} />}>{children}</Suspense>
    </div>
  );
}

function DayCell({ date }: { date: string }) {
  const { language } = useLanguage();
  return (
    <Table.Th scope="row" fw={400} title={formatLongDate(date, language)}>
      {dayName(date, language)}
    </Table.Th>
  );
}

/** The same figures as the chart, to read and to follow. */
function Days({ label, columns, children }: { label: string; columns: string[]; children: ReactNode }) {
  const t = useT();
  return (
    <Table className={classes.days} aria-label={label} verticalSpacing={2} horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t.dashboard.day}</Table.Th>
          {columns.map((column) => (
            <Table.Th key={column}>{column}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}
