import { Alert, Card, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Ref } from 'react';
import { FullSlotChoice } from '@/entities/appointment/full-slot-choice';
import { TimeChoice } from '@/entities/appointment/time-choice';
import { ServiceChoice } from '@/entities/service/service-choice';
import { useT } from '@/i18n/provider';
import type { ChoiceChipsHandle } from '@/ui/choice-chips';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import layout from '@/ui/layout.module.css';
import type { BookingContext } from './use-booking';

interface TimeSectionProps {
  booking: BookingContext;
  serviceRef: Ref<ChoiceChipsHandle>;
  dayRef: Ref<ChoiceChipsHandle>;
  /** The input for the reason to overbook. */
  reasonRef: Ref<HTMLInputElement>;
}

/** Service, day and slot, and what to do if the slot is full. */
export function TimeSection({ booking, serviceRef, dayRef, reasonRef }: TimeSectionProps) {
  const words = useT().appointment;
  const { services, service, slots, action, form, dispatch } = booking;
  const { slot, proposal } = slots;
  return (
    <Card withBorder padding="md" component="section" aria-label={words.step.time}>
      <Title order={2} className={layout.heading}>
        {words.step.time}
      </Title>
      <div className={layout.stack}>
        {services.error && !services.data && <ErrorAlert error={services.error} onRetry={services.refetch} />}
        {services.data?.length === 0 && (
          <EmptyState icon={IconAlertTriangle} title={words.noServices}>
            {words.noServicesHint}
          </EmptyState>
        )}
        {services.data && services.data.length > 0 && (
          <ServiceChoice
            ref={serviceRef}
            services={services.data}
            value={service?.id ?? 0}
            onChange={booking.chooseService}
          />
        )}
        {service ? (
          <TimeChoice ref={dayRef} slots={slots} onChange={booking.chooseTime} />
        ) : (
          <Text size="sm" c="dimmed">
            {words.chooseService}
          </Text>
        )}
        {service && slot && action !== 'BOOK' && (
          <FullSlotChoice
            service={service}
            slot={slot}
            mayWait
            value={action}
            onChange={(full) => dispatch({ type: 'answerFull', full })}
            reason={form.getInputProps('overbookReason')}
            reasonRef={reasonRef}
          />
        )}
        {service && proposal === null && !slot && (
          <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
            {words.noFree}
          </Alert>
        )}
      </div>
    </Card>
  );
}
