import { Radio, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import type { Ref } from 'react';
import type { Service } from '@/entities/service/api';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { MAX_OVERBOOK_REASON, type Slot } from './api';
import classes from './full-slot-choice.module.css';
import { overbookLeft } from './slots';

export type FullAnswer = 'WAIT' | 'OVERBOOK';

interface FullSlotChoiceProps {
  service: Service;
  slot: Slot;
  value: FullAnswer;
  onChange: (value: FullAnswer) => void;
  reason: GetInputPropsReturnType;
  reasonRef?: Ref<HTMLInputElement>;
  /** Only a new booking can wait: an appointment that is moved keeps its seat. */
  mayWait: boolean;
}

/** What to do about a full slot: wait for a seat or, with the permission, overbook it for a reason. */
export function FullSlotChoice({
  service,
  slot,
  value,
  onChange,
  reason,
  reasonRef,
  mayWait,
}: FullSlotChoiceProps) {
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
          ref={reasonRef}
          label={words.field.overbookReason}
          withAsterisk
          maxLength={MAX_OVERBOOK_REASON}
          mt="xs"
          {...reason}
        />
      )}
    </Radio.Group>
  );
}
