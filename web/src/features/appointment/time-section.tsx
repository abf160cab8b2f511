import { Card, Text, Title } from '@mantine/core';
import type { Ref } from 'react';
import { FullSlotChoice } from '@/entities/appointment/full-slot-choice';
import { TimeChoice } from '@/entities/appointment/time-choice';
import { ServiceChoice } from '@/entities/service/service-choice';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import layout from '@/ui/layout.module.css';
import type { EditContext } from './use-edit-form';

interface TimeSectionProps {
  edit: EditContext;
  /** The input for the reason to overbook. */
  reasonRef: Ref<HTMLInputElement>;
}

/** Another service or time. A no-show is booked again on a later date. */
export function TimeSection({ edit, reasonRef }: TimeSectionProps) {
  const t = useT();
  const mayOverbook = useCan()('APPOINTMENT.OVERBOOK');
  const words = t.appointment;
  const { form, base, after, service, slots } = edit;
  const { serviceId } = form.values;
  const title = after ? words.bookAgain : words.edit.changeTime;
  return (
    <Card withBorder padding="md" component="section" aria-label={title}>
      <Title order={2} className={layout.heading}>
        {title}
      </Title>
      {edit.movable ? (
        <div className={layout.stack}>
          {after && <Text size="sm">{words.bookAgainHint}</Text>}
          <ServiceChoice services={edit.services} value={serviceId} onChange={edit.chooseService} />
          <TimeChoice
            slots={slots}
            current={serviceId === base.serviceId ? base : undefined}
            after={after}
            onChange={edit.setTime}
          />
          {service && slots.slot && edit.isFull && mayOverbook && (
            <FullSlotChoice
              service={service}
              slot={slots.slot}
              mayWait={false}
              value="OVERBOOK"
              onChange={() => {}}
              reason={form.getInputProps('overbookReason')}
              reasonRef={reasonRef}
            />
          )}
        </div>
      ) : (
        <Text size="sm" c="dimmed">
          {words.edit.notMovable}
        </Text>
      )}
    </Card>
  );
}
