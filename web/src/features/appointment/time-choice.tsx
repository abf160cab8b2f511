import { ActionIcon, Group, Radio, Skeleton, Text, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { addDays, formatDate, formatLongDate, hospitalToday, weekdayOf } from '@/lib/thai-date';
import { ErrorAlert } from '@/ui/error-alert';
import { ThaiDateInput } from '@/ui/thai-date-input';
import type { DaySlots, Service, Slot } from './api';
import classes from './booking.module.css';
import { ChoiceChips } from './choice-chips';
import { dayIsOver, dayNote, freeIn, isOpen, overbookLeft, STRIP_DAYS, slotNote } from './slots';
import type { Seats } from './use-seats';
import type { Seat } from './words';

interface TimeChoiceProps {
  seats: Seats;
  /** The appointment's own seat, which can always be kept. */
  current?: Seat;
  /** Only dates after this one can be chosen. */
  after?: string;
  onChange: (date: string, startTime: string) => void;
}

/** Two weeks of days with their free seats, and the slots of one of them. */
export function TimeChoice({ seats, current, after = '', onChange }: TimeChoiceProps) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.appointment;
  const { days, from, show, day, slot, error, retry } = seats;
  const today = hospitalToday();
  if (!days && error) return <ErrorAlert error={error} onRetry={retry} />;
  return (
    <div className={classes.stack}>
      <Group gap="xs" className={classes.stripTools}>
        <ActionIcon
          variant="default"
          size={34}
          aria-label={words.earlier}
          title={words.earlier}
          disabled={from <= today}
          onClick={() => show(later(today, addDays(from, -STRIP_DAYS)))}
        >
          <IconChevronLeft size={18} aria-hidden className={classes.turn} />
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
          <IconChevronRight size={18} aria-hidden className={classes.turn} />
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
            // Enter reads the date; it does not send the form.
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      </Group>
      {!days ? (
        <Skeleton h={110} />
      ) : (
        <ChoiceChips
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
          // What is over is in the way.
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

export type FullAnswer = 'WAIT' | 'OVERBOOK';

interface FullChoiceProps {
  service: Service;
  slot: Slot;
  value: FullAnswer;
  onChange: (value: FullAnswer) => void;
  reason: GetInputPropsReturnType;
  /** Somebody who is moved keeps the seat there is; waiting is for new bookings. */
  mayWait: boolean;
}

/** A full slot: wait for a seat, or, for who may, take one beyond the capacity for a reason. */
export function FullChoice({ service, slot, value, onChange, reason, mayWait }: FullChoiceProps) {
  const t = useT();
  const words = t.appointment;
  const mayOverbook = useCan()('APPOINTMENT.OVERBOOK');
  const left = overbookLeft(slot, service.overbookLimit);
  return (
    <Radio.Group
      label={words.slotIsFull}
      value={value}
      onChange={(next) => onChange(next === 'OVERBOOK' ? 'OVERBOOK' : 'WAIT')}
      className={classes.full}
    >
      <div className={classes.fullChoices}>
        {mayWait && <Radio value="WAIT" label={words.wait} description={words.waitHint(slot.waitlisted)} />}
        {mayOverbook && (
          <Radio
            value="OVERBOOK"
            label={words.overbook}
            description={left > 0 ? words.overbookHint(left) : words.overbookSpent}
            disabled={left === 0}
          />
        )}
      </div>
      {mayOverbook && value === 'OVERBOOK' && (
        <TextInput
          id="overbook-reason"
          label={words.field.overbookReason}
          withAsterisk
          maxLength={300}
          mt="xs"
          {...reason}
        />
      )}
    </Radio.Group>
  );
}
