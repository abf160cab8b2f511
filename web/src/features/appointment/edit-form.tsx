import { Alert, Card, Text, Title } from '@mantine/core';
import { type FormEvent, useRef } from 'react';
import type { AppointmentDetails } from '@/entities/appointment/api';
import type { AppointmentValues } from '@/entities/appointment/appointment-values';
import { DetailsFields } from '@/entities/appointment/details-fields';
import { changesBetween, fieldText } from '@/entities/appointment/history';
import { useNames } from '@/entities/appointment/history-list';
import type { StatusActions } from '@/entities/appointment/use-status-actions';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { ChangeList } from '@/ui/change-list';
import layout from '@/ui/layout.module.css';
import { RecordConflict } from '@/ui/record-conflict';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { SaveSection } from './save-section';
import { TimeSection } from './time-section';
import { type EditContext, useEditForm } from './use-edit-form';

interface EditFormProps {
  appointment: AppointmentDetails;
  onMoved: StatusActions['seatsFreed'];
}

/** Changes time and details. Users who may only mark the status see the details. */
export function EditForm({ appointment, onMoved }: EditFormProps) {
  const t = useT();
  const can = useCan();
  const words = t.appointment;
  const edit = useEditForm(appointment, onMoved);
  const { form, service } = edit;
  const reasonInput = useRef<HTMLInputElement>(null);
  const mayUpdate = can('APPOINTMENT.UPDATE');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (edit.isFull && can('APPOINTMENT.OVERBOOK') && form.values.overbookReason.trim() === '') {
      form.setFieldError('overbookReason', words.overbookReasonNeeded);
      reasonInput.current?.focus();
      return;
    }
    edit.onSubmit(event);
  };
  return (
    <form noValidate onSubmit={submit} className={layout.main} aria-label={t.page.appointmentEdit}>
      <UnsavedGuard unsaved={edit.unsaved} />
      {!mayUpdate && <Alert color="blue">{words.edit.readOnly}</Alert>}
      {mayUpdate && <TimeSection edit={edit} reasonRef={reasonInput} />}
      <Card withBorder padding="md" component="section" aria-label={words.edit.details}>
        <Title order={2} className={layout.heading}>
          {words.edit.details}
        </Title>
        <DetailsFields
          values={form.values}
          inputProps={form.getInputProps}
          onKindChange={form.setValues}
          service={service}
          disabled={!mayUpdate}
        />
      </Card>
      {mayUpdate && <SaveSection edit={edit} />}
      <EditConflict edit={edit} />
    </form>
  );
}

/** The fields that another user has changed as well, below all that the other user changed. */
function EditConflict({ edit: { conflict, takeTheirs } }: { edit: EditContext }) {
  const t = useT();
  const names = useNames();
  const { field } = t.appointment;
  const seat = (values: AppointmentValues) =>
    (['serviceId', 'date', 'startTime'] as const)
      .map((part) => fieldText(names, part, values[part]))
      .join(' ');
  const labels: Partial<Record<string, string>> = { ...field, seat: t.calendar.card.when };
  return (
    <RecordConflict
      conflict={conflict && { ...conflict, takeTheirs }}
      label={(name) => labels[name] ?? name}
      textsOf={(values) => ({
        ...Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, fieldText(names, name, value)]),
        ),
        seat: seat(values),
      })}
    >
      {conflict && (
        <div>
          <Text size="sm" fw={600} mb={4}>
            {t.appointment.edit.theyChanged}
          </Text>
          <ChangeList changes={changesBetween(names, { ...conflict.base }, { ...conflict.current })} />
        </div>
      )}
    </RecordConflict>
  );
}
