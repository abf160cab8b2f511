import { Group, Text, Title } from '@mantine/core';
import { useId } from 'react';
import { useLanguage, useT } from '@/i18n/provider';
import { formatNumber, formatPercent } from '@/lib/number';
import { weekdayName } from '@/lib/thai-date';
import { Legend, Swatch } from '@/ui/legend';
import type { HeatCell } from './api';
import { NOTHING } from './group-name';
import classes from './report.module.css';

/** The week starts on Monday. */
const WEEK = [1, 2, 3, 4, 5, 6, 0];

/** The shade of a rate: 0 is the lightest, 4 is overbooked. */
export function levelOf(rate: number): number {
  const bounds = [0.25, 0.5, 0.8, 1.000001];
  const level = bounds.findIndex((bound) => rate < bound);
  return level < 0 ? bounds.length : level;
}

/** The load of each hour of the week. The number is the information; the shade helps to find it. */
export function HeatMap({ cells }: { cells: HeatCell[] }) {
  const t = useT();
  const { language } = useLanguage();
  const titleId = useId();
  const words = t.report.heat;
  const hours = [...new Set(cells.map(({ hour }) => hour))].sort((a, b) => a - b);
  const days = WEEK.filter((day) => cells.some(({ weekday }) => weekday === day));
  const at = (weekday: number, hour: number) =>
    cells.find((cell) => cell.weekday === weekday && cell.hour === hour);
  return (
    <section aria-labelledby={titleId}>
      <Title order={3} id={titleId} mb="xs">
        {words.title}
      </Title>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
      <section className={classes.scroller} tabIndex={0} aria-labelledby={titleId}>
        <table className={classes.heat} aria-labelledby={titleId}>
          <thead>
            <tr>
              <th scope="col">{words.hour}</th>
              {days.map((day) => (
                <th key={day} scope="col">
                  <span aria-hidden>{weekdayName(day, language, true)}</span>
                  <span className="heard">{weekdayName(day, language)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {hours.map((hour) => (
              <tr key={hour}>
                <th scope="row">{`${String(hour).padStart(2, '0')}:00`}</th>
                {days.map((day) => (
                  <Cell key={day} cell={at(day, hour)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Group gap="2px 14px" mt="xs">
        <Text size="xs" c="dimmed">
          {words.legend}
        </Text>
        <Legend>
          {words.levels.map((name, level) => (
            <li key={name}>
              <Swatch data-level={level} />
              {name}
            </li>
          ))}
        </Legend>
      </Group>
    </section>
  );
}

function Cell({ cell }: { cell: HeatCell | undefined }) {
  const t = useT();
  const words = t.report.heat;
  if (!cell || cell.rate === null) {
    return (
      <td className={classes.shut}>
        <span aria-hidden>{NOTHING}</span>
        <span className="heard">{words.closed}</span>
      </td>
    );
  }
  const [booked, capacity] = [formatNumber(cell.booked), formatNumber(cell.capacity)];
  const seats = words.cell(booked, capacity);
  return (
    <td data-level={levelOf(cell.rate)} title={seats}>
      {formatPercent(cell.rate * 100)}
      <span className={classes.seats} aria-hidden>
        {booked}/{capacity}
      </span>
      <span className="heard"> {seats}</span>
    </td>
  );
}
