import { Card, Title } from '@mantine/core';
import { DetailsFields } from '@/entities/appointment/details-fields';
import { useT } from '@/i18n/provider';
import layout from '@/ui/layout.module.css';
import { RepeatFields } from './series';
import type { BookingContext } from './use-booking';

/** Kind, channel, staff, reason and note, and whether the visit repeats. */
export function DetailsSection({ booking: { form, service } }: { booking: BookingContext }) {
  const words = useT().appointment;
  return (
    <Card withBorder padding="md" component="section" aria-label={words.step.details}>
      <Title order={2} className={layout.heading}>
        {words.step.details}
      </Title>
      <div className={layout.stack}>
        <DetailsFields
          values={form.values}
          inputProps={form.getInputProps}
          onKindChange={form.setValues}
          service={service}
        />
        <RepeatFields form={form} />
      </div>
    </Card>
  );
}
