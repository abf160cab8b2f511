import { ActionIcon, Popover } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import '@mantine/dates/styles.layer.css';
import { IconCalendar } from '@tabler/icons-react';
import dayjs from 'dayjs';
import buddhistEra from 'dayjs/plugin/buddhistEra';
import 'dayjs/locale/th';
import { useId, useRef } from 'react';
import { useLanguage, useT } from '@/i18n/provider';
import { formatLongDate, hospitalToday, shownYear } from '@/lib/thai-date';
import { ExistingTarget, useDeferredOverlay } from './deferred-overlay';
import classes from './thai-date-input.module.css';

dayjs.extend(buddhistEra);

interface ThaiDatePickerProps {
  /** The label of the date, for the button's name. */
  field: string;
  value: string | null;
  minDate?: string;
  maxDate?: string;
  opened: boolean;
  onOpen: (opened: boolean) => void;
  onPick: (iso: string | null) => void;
}

/** The calendar of a date input. */
export function ThaiDatePicker(props: ThaiDatePickerProps) {
  const { field, value, minDate, maxDate, opened, onOpen, onPick } = props;
  const t = useT();
  const { language } = useLanguage();
  const today = hospitalToday();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const overlay = useDeferredOverlay(opened);
  const calendar = useRef<HTMLDivElement>(null);
  // Changing the level removes the button that had the focus: move it to the new level.
  const focusChoice = () =>
    requestAnimationFrame(() => {
      const choices = calendar.current?.querySelector<HTMLElement>('tbody [data-selected]');
      (choices ?? calendar.current?.querySelector<HTMLElement>('tbody button:not(:disabled)'))?.focus();
    });
  const year = language === 'th' ? 'BBBB' : 'YYYY';
  return (
    <>
      <ActionIcon
        ref={button}
        id={id}
        variant="subtle"
        color="gray"
        c="dimmed"
        aria-label={t.date.openCalendar(field)}
        aria-haspopup="dialog"
        aria-expanded={overlay.opened}
        aria-controls={overlay.opened ? `${id}-dropdown` : undefined}
        onClick={() => onOpen(!opened)}
      >
        <IconCalendar size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
      {overlay.mounted && (
        <Popover
          id={id}
          opened={overlay.opened}
          onChange={onOpen}
          position="bottom-end"
          trapFocus
          returnFocus
          shadow="md"
        >
          <Popover.Target>
            <ExistingTarget target={button} />
          </Popover.Target>
          <Popover.Dropdown aria-label={t.date.openCalendar(field)}>
            <DatePicker
              ref={calendar}
              classNames={{ day: classes.day }}
              onLevelChange={focusChoice}
              locale={language}
              firstDayOfWeek={0}
              value={value}
              onChange={onPick}
              defaultDate={value ?? clamp(today, minDate, maxDate)}
              minDate={minDate}
              maxDate={maxDate}
              monthLabelFormat={`MMMM ${year}`}
              yearLabelFormat={year}
              yearsListFormat={year}
              decadeLabelFormat={(from, to) => `${shownYear(from, language)} – ${shownYear(to, language)}`}
              // Not highlightToday, which uses the browser's date instead of the hospital's.
              getDayProps={(day) =>
                day === today ? { className: classes.today, 'aria-current': 'date' } : {}
              }
              getDayAriaLabel={(day) => formatLongDate(day, language)}
              ariaLabels={t.date}
            />
          </Popover.Dropdown>
        </Popover>
      )}
    </>
  );
}

function clamp(day: string, first = day, last = day): string {
  return day < first ? first : day > last ? last : day;
}
