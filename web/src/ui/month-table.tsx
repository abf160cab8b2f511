import type { ReactNode } from 'react';
import { useLanguage } from '@/i18n/provider';
import { addDays, addMonths, firstOfMonth, firstOfWeek, weekdayName } from '@/lib/thai-date';
import classes from './month-table.module.css';

const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];

/** The weeks of a date's month, from Sunday; the first and the last one may have days of other months. */
function weeksOf(date: string): string[][] {
  const weeks: string[][] = [];
  const end = addMonths(firstOfMonth(date), 1);
  for (let first = firstOfWeek(firstOfMonth(date)); first < end; first = addDays(first, 7)) {
    weeks.push(WEEKDAYS.map((weekday) => addDays(first, weekday)));
  }
  return weeks;
}

interface MonthTableProps {
  /** A day of the month. */
  date: string;
  today: string;
  label: string;
  className?: string;
  isClosed: (day: string) => boolean;
  children: (day: string, outside: boolean) => ReactNode;
}

/** A month as a table, a week in each row. Each day may be marked as today, as closed, or as outside the month. */
export function MonthTable({ date, today, label, className = '', isClosed, children }: MonthTableProps) {
  const { language } = useLanguage();
  const month = date.slice(0, 7);
  return (
    <table className={`${classes.month} ${className}`} aria-label={label}>
      <thead>
        <tr>
          {WEEKDAYS.map((weekday) => (
            <th key={weekday} scope="col" abbr={weekdayName(weekday, language)}>
              {weekdayName(weekday, language, true)}
            </th>
          ))}
        </tr>
      </thead>
      {/* A new element for each month, so that it does not keep the tab stop of the previous one. */}
      <tbody key={month}>
        {weeksOf(date).map((week) => (
          <tr key={week[0]}>
            {week.map((day) => {
              const outside = !day.startsWith(month);
              return (
                <td
                  key={day}
                  data-closed={isClosed(day) || undefined}
                  data-outside={outside || undefined}
                  data-today={day === today || undefined}
                >
                  {children(day, outside)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
