import { NativeSelect, Textarea } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { Service } from '@/entities/service/api';
import { staffQuery } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { CHANNELS, KINDS, MAX_NOTE, MAX_REASON, PRIORITIES } from './api';
import type { AppointmentValues } from './appointment-values';
import classes from './details-fields.module.css';

type DetailsField = 'kind' | 'channel' | 'priority' | 'staffId' | 'reason' | 'note';

interface DetailsFieldsProps {
  values: Pick<AppointmentValues, DetailsField>;
  inputProps: (field: DetailsField) => GetInputPropsReturnType;
  /** Sets the kind together with the channel that goes with it. */
  onKindChange: (part: Pick<AppointmentValues, 'kind' | 'channel'>) => void;
  service: Service | undefined;
  disabled?: boolean;
}

/** Kind, channel, priority, staff, reason and note of an appointment. */
export function DetailsFields({ values, inputProps, onKindChange, service, disabled }: DetailsFieldsProps) {
  const t = useT();
  const words = t.appointment;
  const { data: staff = [] } = useQuery(staffQuery);
  const assigned = service?.staffIds ?? [];
  // A service without assigned staff accepts any.
  const choices = staff.filter(
    ({ id }) => assigned.length === 0 || assigned.includes(id) || String(id) === values.staffId,
  );
  const setKind = (text: string) => {
    const kind = KINDS.find((one) => one === text) ?? 'NEW';
    const walkedIn = values.channel === 'WALK_IN';
    // A walk-in has no other channel; any other kind does not keep it.
    onKindChange({ kind, channel: kind === 'WALK_IN' ? 'WALK_IN' : walkedIn ? 'STAFF' : values.channel });
  };
  return (
    <fieldset className={classes.fields} disabled={disabled} aria-label={words.edit.details}>
      <NativeSelect
        label={words.field.kind}
        data={KINDS.map((value) => ({ value, label: words.kinds[value] }))}
        {...inputProps('kind')}
        onChange={(event) => setKind(event.currentTarget.value)}
      />
      <NativeSelect
        label={words.field.channel}
        data={CHANNELS.map((value) => ({ value, label: words.channels[value] }))}
        {...inputProps('channel')}
      />
      <NativeSelect
        label={words.field.priority}
        data={PRIORITIES.map((value) => ({ value, label: words.priorities[value] }))}
        {...inputProps('priority')}
      />
      <NativeSelect
        label={words.field.staffId}
        data={[
          { value: '', label: words.anyStaff },
          ...choices.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        {...inputProps('staffId')}
      />
      <Textarea
        className={classes.wide}
        label={words.field.reason}
        maxLength={MAX_REASON}
        rows={2}
        autosize
        maxRows={5}
        {...inputProps('reason')}
      />
      <Textarea
        className={classes.wide}
        label={words.field.note}
        description={words.noteHint}
        maxLength={MAX_NOTE}
        rows={2}
        autosize
        maxRows={6}
        {...inputProps('note')}
      />
    </fieldset>
  );
}
