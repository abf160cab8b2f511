import { Card, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { appointmentQuery } from '@/entities/appointment/api';
import { HistoryList } from '@/entities/appointment/history-list';
import { PatientSummary } from '@/entities/appointment/patient-summary';
import { StatusPanel } from '@/entities/appointment/status-panel';
import { useStatusActions } from '@/entities/appointment/use-status-actions';
import { useUpcomingAppointments } from '@/entities/appointment/use-upcoming-appointments';
import { useT } from '@/i18n/provider';
import layout from '@/ui/layout.module.css';
import { EditForm } from './edit-form';
import { EditHeader } from './edit-header';
import classes from './edit-page.module.css';

/** One appointment: its time, details, status and history. */
export function EditPage({ id }: { id: number }) {
  const t = useT();
  const { data: appointment } = useSuspenseQuery(appointmentQuery(id));
  const actions = useStatusActions();
  const upcoming = useUpcomingAppointments(appointment.patientId, { but: id });
  return (
    <div className={layout.page}>
      <EditHeader appointment={appointment} />
      <div className={classes.edit}>
        <div className={classes.editStatus}>
          <StatusPanel appointment={appointment} actions={actions} />
        </div>
        <div className={`${layout.main} ${classes.editMain}`}>
          <Card withBorder padding="md" component="section" aria-label={t.appointment.list.patient}>
            <PatientSummary id={appointment.patientId} known={appointment.patient} upcoming={upcoming} />
          </Card>
          <EditForm appointment={appointment} onMoved={actions.seatsFreed} />
        </div>
        <Card withBorder padding="md" component="section" aria-label={t.appointment.edit.history}>
          <Title order={2} className={layout.heading}>
            {t.appointment.edit.history}
          </Title>
          <HistoryList history={appointment.history} />
        </Card>
      </div>
      {actions.dialogs}
    </div>
  );
}
