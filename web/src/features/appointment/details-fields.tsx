import { NativeSelect, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { staffQuery } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { CHANNELS, KINDS, PRIORITIES, type Service } from './api';
import classes from './booking.module.css';
import type { BookingForm } from './booking-values';

interface DetailsFieldsProps {
  form: BookingForm;
  service: Service | undefined;
  disabled?: boolean;
}

/** Kind, channel, priority, who sees the patient, why, and a note. */
export function DetailsFields({ form, service, disabled }: DetailsFieldsProps) {
  const t = useT();
  const words = t.appointment;
  const { data: staff = [] } = useQuery(staffQuery);
  const mine = service?.staffIds ?? [];
  // Where a service names nobody, anybody may be chosen.
  const choices = staff.filter(
    ({ id }) => mine.length === 0 || mine.includes(id) || String(id) === form.values.staffId,
  );
  const setKind = (kind: string) => {
    form.setFieldValue('kind', KINDS.find((one) => one === kind) ?? 'NEW');
    // Who walks in came by themselves; back again, somebody at the desk booked.
    if (kind === 'WALK_IN') form.setFieldValue('channel', 'WALK_IN');
    else if (form.values.channel === 'WALK_IN') form.setFieldValue('channel', 'STAFF');
  };
  return (
    <fieldset className={classes.fields} disabled={disabled} aria-label={words.edit.details}>
      <NativeSelect
        label={words.field.kind}
        data={KINDS.map((value) => ({ value, label: words.kinds[value] }))}
        {...form.getInputProps('kind')}
        onChange={(event) => setKind(event.currentTarget.value)}
      />
      <NativeSelect
        label={words.field.channel}
        data={CHANNELS.map((value) => ({ value, label: words.channels[value] }))}
        {...form.getInputProps('channel')}
      />
      <NativeSelect
        label={words.field.priority}
        data={PRIORITIES.map((value) => ({ value, label: words.priorities[value] }))}
        {...form.getInputProps('priority')}
      />
      <NativeSelect
        label={words.field.staffId}
        data={[
          { value: '', label: words.anyStaff },
          ...choices.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        {...form.getInputProps('staffId')}
      />
      <Textarea
        className={classes.wide}
        label={words.field.reason}
        maxLength={500}
        rows={2}
        autosize
        maxRows={5}
        {...form.getInputProps('reason')}
      />
      <Textarea
        className={classes.wide}
        label={words.field.note}
        description={words.noteHint}
        maxLength={2000}
        rows={2}
        autosize
        maxRows={6}
        {...form.getInputProps('note')}
      />
    </fieldset>
  );
}
