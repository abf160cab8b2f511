import { IconAlertTriangle, IconUserCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCan } from '@/app/session';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { EmptyState } from '@/ui/empty-state';
import print from '@/ui/print.module.css';
import { RowButton } from '@/ui/row-button';
import { RowLink } from '@/ui/row-link';
import { useServiceName } from '@/ui/service-name';
import { showDone, showFailure, showUndo } from '@/ui/toast';
import { type Appointment, checkIn, type Dashboard, dashboardKeys, undoCheckIn } from './api';
import { Card } from './card';
import classes from './dashboard.module.css';
import { ListLink, onDay } from './list-link';

/** Who comes next, and who should have come; on the day itself one click marks that they are here. */
export function Arrivals({ dashboard }: { dashboard: Dashboard }) {
  const t = useT();
  const { date, today, byStatus, arrivals } = dashboard;
  const arriving = useCheckIn();
  const nameOf = useServiceName();
  if (!arrivals) return null;
  const expected = (byStatus.BOOKED ?? 0) + (byStatus.CONFIRMED ?? 0);
  const row = (appointment: Appointment) => (
    <li key={appointment.id} className={classes.arrival}>
      <Arrival
        appointment={appointment}
        service={nameOf(appointment.service)}
        onCheckIn={date === today ? arriving : undefined}
      />
    </li>
  );
  return (
    <Card
      title={t.dashboard.arrivals}
      aside={
        expected > 0 && (
          <ListLink counted={{ ...onDay(date, today), status: 'EXPECTED' }} className={classes.figure}>
            {t.dashboard.arrivalsAll(expected)}
          </ListLink>
        )
      }
    >
      {arrivals.next.length > 0 ? (
        <ul className={classes.arrivals}>{arrivals.next.map(row)}</ul>
      ) : (
        <EmptyState icon={IconUserCheck} title={t.dashboard.noArrivals}>
          {t.dashboard.noArrivalsHint}
        </EmptyState>
      )}
      {arrivals.lateTotal > 0 && (
        <>
          <h3 className={classes.late}>
            <IconAlertTriangle size={16} aria-hidden /> {t.dashboard.late(arrivals.lateTotal)}
          </h3>
          <ul className={classes.arrivals}>{arrivals.late.map(row)}</ul>
        </>
      )}
    </Card>
  );
}

interface CheckIn {
  send: (appointment: Appointment) => void;
  pendingId: number | undefined;
}

function useCheckIn(): CheckIn {
  const t = useT();
  const queryClient = useQueryClient();
  // Awaited: the button stays busy until the list no longer has it.
  const refresh = () => {
    void queryClient.invalidateQueries({ queryKey: ['appointment'] });
    return queryClient.invalidateQueries({ queryKey: dashboardKeys.all });
  };
  const undo = useMutation({
    mutationFn: undoCheckIn,
    onSuccess: ({ patient, status }) =>
      showDone(t.appointment.undone(fullName(patient), t.appointment.statuses[status])),
    onError: (error) => showFailure(t, error),
    onSettled: refresh,
  });
  const mark = useMutation({
    mutationFn: checkIn,
    onSuccess: (now) => {
      const [name, word] = [fullName(now.patient), t.appointment.statuses.CHECKED_IN];
      const { marked, markedQueue } = t.appointment;
      showUndo({
        message: now.queueNo ? markedQueue(name, word, now.queueNo) : marked(name, word),
        undoLabel: t.action.undo,
        onUndo: () => undo.mutate(now),
      });
    },
    onError: (error) => showFailure(t, error),
    onSettled: refresh,
  });
  return {
    send: (appointment) => {
      if (!mark.isPending) mark.mutate(appointment);
    },
    pendingId: mark.isPending ? mark.variables.id : undefined,
  };
}

interface ArrivalProps {
  appointment: Appointment;
  /** What its service is called. */
  service: string;
  onCheckIn?: CheckIn;
}

function Arrival({ appointment, service, onCheckIn }: ArrivalProps) {
  const t = useT();
  const can = useCan();
  const { id, patient, startTime, priority, status } = appointment;
  const name = fullName(patient);
  return (
    <>
      <bdi className={classes.arrivalTime}>{startTime}</bdi>
      <div className={classes.arrivalWho}>
        {can('APPOINTMENT.UPDATE', 'APPOINTMENT.MARK_STATUS') ? (
          <RowLink to="/app/appointment/$id/edit" params={{ id: String(id) }}>
            {name}
          </RowLink>
        ) : (
          <span>{name}</span>
        )}
        {priority === 'URGENT' && <span className={classes.urgent}>{t.appointment.urgentMark}</span>}
        <p className={classes.arrivalMore}>
          <bdi className="tabular">HN {patient.hn}</bdi> · {service}
          {status === 'CONFIRMED' && ` · ${t.appointment.statuses.CONFIRMED}`}
        </p>
      </div>
      {onCheckIn && can('APPOINTMENT.MARK_STATUS') && (
        <RowButton
          className={print.screen}
          aria-label={t.dashboard.checkInNamed(name)}
          busy={onCheckIn.pendingId === id}
          onClick={() => onCheckIn.send(appointment)}
        >
          {t.dashboard.checkIn}
        </RowButton>
      )}
    </>
  );
}
