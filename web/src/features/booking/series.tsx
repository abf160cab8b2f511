import { NativeSelect, NumberInput, Switch, Text } from '@mantine/core';
import { IconArrowMoveRight, IconCalendarOff, IconCheck } from '@tabler/icons-react';
import type { SeriesBooked } from '@/entities/appointment/api';
import { dayText } from '@/entities/appointment/appointment-text';
import { useLanguage, useT } from '@/i18n/provider';
import { formatTime } from '@/lib/thai-date';
import layout from '@/ui/layout.module.css';
import classes from './booking.module.css';
import { type BookingForm, MAX_INTERVAL, MAX_VISITS } from './booking-values';

/** Repeats the visit at an interval of weeks or days. */
export function RepeatFields({ form }: { form: BookingForm }) {
  const t = useT();
  const words = t.appointment;
  const { repeat, unit } = form.values;
  return (
    <div className={layout.stack}>
      <Switch
        label={words.repeat}
        description={words.repeatHint}
        {...form.getInputProps('repeat', { type: 'checkbox' })}
      />
      {repeat && (
        <div className={classes.repeat}>
          <NumberInput
            label={words.every}
            min={1}
            max={MAX_INTERVAL[unit]}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            {...form.getInputProps('every')}
          />
          <NativeSelect
            label={words.unit}
            data={(['weeks', 'days'] as const).map((value) => ({ value, label: words.units[value] }))}
            {...form.getInputProps('unit')}
          />
          <NumberInput
            label={words.count}
            min={1}
            max={MAX_VISITS}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            {...form.getInputProps('count')}
          />
        </div>
      )}
    </div>
  );
}

interface SeriesPreviewProps {
  series: SeriesBooked;
  /** The requested time of day. */
  startTime: string;
}

/** The days of a series: as requested, moved to another time, or skipped. */
export function SeriesPreview({ series: { items, skipped }, startTime }: SeriesPreviewProps) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.appointment;
  const lines = [
    ...items.map((item) => ({ date: item.date, time: item.startTime, skipped: '' })),
    ...skipped.map(({ date, reason }) => ({ date, time: '', skipped: reason })),
  ].sort((one, other) => one.date.localeCompare(other.date));
  return (
    <div>
      <Text size="sm" fw={600}>
        {words.previewTitle(items.length)}
      </Text>
      <ol className={`tabular ${classes.series}`} aria-label={words.preview}>
        {lines.map((line) => {
          const moved = line.time !== '' && line.time !== startTime;
          const Icon = line.skipped ? IconCalendarOff : moved ? IconArrowMoveRight : IconCheck;
          return (
            <li key={line.date} data-skipped={line.skipped !== '' || undefined}>
              <Icon size={16} aria-hidden />
              <span>
                {dayText(t, language, line.date)} {line.time && formatTime(line.time, language)}{' '}
                {moved && (
                  <span className={classes.moved}>{words.previewMoved(formatTime(startTime, language))}</span>
                )}
                {line.skipped && words.previewSkipped(line.skipped)}
              </span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
