import { ActionIcon, Group, Skeleton, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { Ref } from 'react';
import { useLanguage, useT } from '@/i18n/provider';
import { addDays, formatDate, formatLongDate, hospitalToday, weekdayOf } from '@/lib/thai-date';
import { ChoiceChips, type ChoiceChipsHandle } from '@/ui/choice-chips';
import { ErrorAlert } from '@/ui/error-alert';
import layout from '@/ui/layout.module.css';
import { ThaiDateInput } from '@/ui/thai-date-input';
import type { DaySlots } from './api';
import type { Seat } from './appointment-text';
import { dayIsOver, dayNote, freeIn, isOpen, STRIP_DAYS, slotNote } from './slots';
import classes from './time-choice.module.css';
import type { SlotChoice } from './use-slot-choice';

interface TimeChoiceProps {
  slots: SlotChoice;
  /** The appointment's current seat, which can always be chosen. */
  current?: Seat;
  /** Only dates after this one can be chosen. */
  after?: string;
  onChange: (date: string, startTime: string) => void;
  /** The days. */
  ref?: Ref<ChoiceChipsHandle>;
}

/** Two weeks of days with their free slots, and the slots of one of them. */
export function TimeChoice({ slots, current, after = '', onChange, ref }: TimeChoiceProps) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.appointment;
  const { days, from, show, day, slot, error, retry } = slots;
  const today = hospitalToday();
  if (!days && error) return <ErrorAlert error={error} onRetry={retry} />;
  return (
    <div className={layout.stack}>
      <Group gap="xs" className={classes.stripTools}>
        <ActionIcon
          variant="default"
          size={34}
          aria-label={words.earlier}
          title={words.earlier}
          disabled={from <= today}
          onClick={() => show(later(today, addDays(from, -STRIP_DAYS)))}
        >
          <IconChevronLeft size={18} aria-hidden className={layout.mirrored} />
        </ActionIcon>
        <Text size="sm" className={`tabular ${classes.stripDates}`}>
          {formatDate(from, language)} – {formatDate(addDays(from, STRIP_DAYS - 1), language)}
        </Text>
        <ActionIcon
          variant="default"
          size={34}
          aria-label={words.later}
          title={words.later}
          onClick={() => show(addDays(from, STRIP_DAYS))}
        >
          <IconChevronRight size={18} aria-hidden className={layout.mirrored} />
        </ActionIcon>
        <ThaiDateInput
          aria-label={words.jump}
          placeholder={words.jump}
          className={classes.jump}
          minDate={today}
          onChange={(date) => {
            if (!date) return;
            show(null);
            onChange(date, '');
          }}
          onKeyDown={(event) => {
            // Enter parses the date instead of submitting the form.
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      </Group>
      {!days ? (
        <Skeleton h={110} />
      ) : (
        <ChoiceChips
          ref={ref}
          label={words.days}
          name="day"
          layout="days"
          value={day?.date ?? ''}
          onChange={(date) => onChange(date, '')}
          choices={days.map((one) => dayChip(one))}
        />
      )}
      {day && slotChoice(day)}
    </div>
  );

  function dayChip(one: DaySlots) {
    const note = dayNote(t, one);
    const free = freeIn(one);
    const capacity = one.slots.reduce((sum, { capacity: taken }) => sum + taken, 0);
    return {
      value: one.date,
      label: (
        <>
          <span className={classes.still}>{words.weekdaysShort[weekdayOf(one.date)]}</span>{' '}
          <span className={classes.still}>{formatDate(one.date, language).replace(/ \d{4}$/, '')}</span>
        </>
      ),
      note,
      title: `${formatLongDate(one.date, language)} ${note}`,
      disabled: (one.date <= after || dayIsOver(one)) && one.date !== current?.date,
      tone: free === 0 ? ('full' as const) : free <= capacity * 0.2 ? ('few' as const) : ('free' as const),
    };
  }

  function slotChoice(shown: DaySlots) {
    if (shown.slots.length === 0) {
      return (
        <Text size="sm" c="dimmed">
          {shown.closed && shown.reason ? words.closedFor(shown.reason) : words.noSlots}
        </Text>
      );
    }
    const over = dayIsOver(shown);
    return (
      <ChoiceChips
        label={words.slots(formatLongDate(shown.date, language))}
        name="slot"
        layout="slots"
        value={slot?.startTime ?? ''}
        onChange={(startTime) => onChange(shown.date, startTime)}
        choices={shown.slots.flatMap((one) => {
          const own = shown.date === current?.date && one.startTime === current.startTime;
          // Past slots are hidden.
          if (one.state === 'PAST' && !own && !over) return [];
          return {
            value: one.startTime,
            label: one.startTime,
            note: own ? words.currentTime : slotNote(t, one),
            title: words.time(one.startTime, one.endTime),
            disabled: !own && (shown.date <= after || !isOpen(one)),
            tone: own || !isOpen(one) ? 'none' : one.state === 'FREE' ? 'free' : 'full',
          };
        })}
      />
    );
  }
}

const later = (one: string, other: string) => (one > other ? one : other);
