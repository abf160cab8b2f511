import { Button, Card, Group, Text, Title } from '@mantine/core';
import { IconCalendarPlus, IconClipboardText, IconPrinter, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  type Appointment,
  type AppointmentDetails,
  appointmentKeys,
  appointmentQuery,
} from '@/entities/appointment/api';
import { appointmentText, seatText } from '@/entities/appointment/appointment-text';
import { printSlip } from '@/entities/appointment/print-pdf';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { Confirm } from '@/ui/confirm';
import { LinkButton } from '@/ui/link-button';
import { showDone, showFailure } from '@/ui/toast';
import { useDialog } from '@/ui/use-dialog';
import { deleteAppointment } from './api';
import classes from './edit-page.module.css';

/** Number and time of the appointment, and what can be done with it as a whole. */
export function EditHeader({ appointment }: { appointment: AppointmentDetails }) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useDialog<Appointment>();
  const nameOf = useServiceName();
  const words = t.appointment;
  const { id, number, patientId, serviceId, status } = appointment;
  return (
    <Card withBorder padding="md" component="section" aria-label={words.edit.title(number)}>
      <div className={classes.bar}>
        <div>
          <Title order={2} className="tabular">
            {words.edit.title(number)}
          </Title>
          <Text size="sm" className="tabular">
            {appointmentText(t, language, nameOf, appointment)}
          </Text>
        </div>
        <Group gap="xs">
          {status !== 'WAITLISTED' && status !== 'CANCELLED' && (
            <Button
              variant="default"
              leftSection={<IconPrinter size={16} aria-hidden />}
              onClick={() => void printSlip(id).catch((error) => showFailure(t, error))}
            >
              {words.printSlip}
            </Button>
          )}
          {can('RESULT.CREATE') && (
            <LinkButton
              variant="default"
              to="/app/appointment/$id/diagnosisResults"
              params={{ id: String(id) }}
              leftSection={<IconClipboardText size={16} aria-hidden />}
            >
              {words.edit.result}
            </LinkButton>
          )}
          {can('APPOINTMENT.CREATE') && (
            <LinkButton
              variant="default"
              to="/app/appointment/create"
              search={{ patientId, serviceId, followUpOfId: id }}
              leftSection={<IconCalendarPlus size={16} aria-hidden />}
            >
              {words.edit.bookNext}
            </LinkButton>
          )}
          {can('APPOINTMENT.DELETE') && (
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} aria-hidden />}
              onClick={() => remove.open(appointment)}
            >
              {words.edit.delete}
            </Button>
          )}
        </Group>
      </div>
      <Confirm
        opened={remove.opened}
        onClose={remove.close}
        title={words.edit.deleteTitle(number)}
        confirmLabel={words.edit.delete}
        danger
        onConfirm={async () => {
          await deleteAppointment(id);
          showDone(words.edit.deleted(number));
          await navigate({ to: '/app/appointment/list' });
          queryClient.removeQueries({ queryKey: appointmentQuery(id).queryKey });
          void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
        }}
      >
        {words.edit.deleteText(fullName(appointment.patient), seatText(t, language, appointment))}
      </Confirm>
    </Card>
  );
}
