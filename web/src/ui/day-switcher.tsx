import { Button } from '@mantine/core';
import { useLanguage } from '@/i18n/provider';
import { weekdayName, weekdayOf } from '@/lib/thai-date';
import classes from './day-switcher.module.css';

interface DaySwitcherProps {
  label: string;
  /** The days of a week. */
  dates: string[];
  /** The day that is shown. */
  date: string;
  onChange: (date: string) => void;
}

/** Chooses the day of a week on phones, which show one day at a time. */
export function DaySwitcher({ label, dates, date, onChange }: DaySwitcherProps) {
  const { language } = useLanguage();
  return (
    <fieldset className={classes.switcher} aria-label={label}>
      {dates.map((day) => (
        <Button
          key={day}
          variant={day === date ? 'filled' : 'default'}
          aria-pressed={day === date}
          h={44}
          p={0}
          onClick={() => onChange(day)}
        >
          <span className={classes.day}>
            <span>{weekdayName(weekdayOf(day), language, true)}</span>
            <span>{Number(day.slice(8))}</span>
          </span>
        </Button>
      ))}
    </fieldset>
  );
}
