import { IconAlertTriangle, IconUserCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type Appointment, appointmentKeys, markStatus, undoStatus } from '@/entities/appointment/api';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { EmptyState } from '@/ui/empty-state';
import print from '@/ui/print.module.css';
import { RowButton } from '@/ui/row-button';
import { RowLink } from '@/ui/row-link';
import { showDone, showFailure, showUndo } from '@/ui/toast';
import { keepPlaces, useHeldRows } from '@/ui/use-held-rows';
import { useWrite } from '@/ui/use-write';
import { type Dashboard, dashboardKeys, withArrival } from './api';
import { Card } from './card';
import classes from './dashboard.module.css';
import { ListLink, onDay } from './list-link';

type ArrivalLists = Dashboard['arrivals'];

/** Keeps the shown appointments in their places, with their current data. */
function keepArrivals(shown: ArrivalLists, fresh: ArrivalLists): ArrivalLists {
  if (!shown || !fresh) return fresh;
  const now = [...fresh.next, ...fresh.late];
  const places = (rows: Appointment[]) => keepPlaces(rows, now, ({ id }) => id).slice(0, rows.length);
  return { ...fresh, next: places(shown.next), late: places(shown.late) };
}

/** The next and the overdue patients; for today one click marks their arrival. */
export function Arrivals({ dashboard }: { dashboard: Dashboard }) {
  const t = useT();
  const { date, today, byStatus } = dashboard;
  const { rows: arrivals, ref } = useHeldRows(dashboard.arrivals, keepArrivals);
  const arriving = useCheckIn();
  const nameOf = useServiceName();
  if (!arrivals) return null;
  const expected = (byStatus.BOOKED ?? 0) + (byStatus.CONFIRMED ?? 0);
  const row = (appointment: Appointment) => (
    <li key={appointment.id} className={classes.arrival}>
      <Arrival appointment={appointment} service={nameOf(appointment.service)} arriving={arriving} />
    </li>
  );
  return (
    <Card
      title={t.dashboard.arrivals}
      aside={
        expected > 0 && (
          <ListLink filter={{ ...onDay(date, today), status: 'EXPECTED' }} className={classes.figure}>
            {t.dashboard.arrivalsAll(expected)}
          </ListLink>
        )
      }
    >
      <div ref={ref} data-hold>
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
      </div>
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
  // Awaited: the button stays busy until the row has left the list.
  const refresh = () => {
    void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
    return queryClient.invalidateQueries({ queryKey: dashboardKeys.all });
  };
  const undo = useWrite({
    mutationFn: ({ id, version }: Appointment) => undoStatus(id, version),
    onSuccess: ({ patient, status }) =>
      showDone(t.appointment.undone(fullName(patient), t.appointment.statuses[status])),
    onError: (error) => showFailure(t, error),
    onSettled: refresh,
  });
  const mark = useWrite({
    mutationFn: ({ id, version }: Appointment) => markStatus({ id, version, status: 'CHECKED_IN' }),
    onSuccess: (now) => {
      queryClient.setQueriesData({ queryKey: dashboardKeys.all }, (dashboard: Dashboard | undefined) =>
        withArrival(dashboard, now),
      );
      const [name, word] = [fullName(now.patient), t.appointment.statuses.CHECKED_IN];
      const { marked, markedQueue } = t.appointment;
      showUndo({
        message: now.queueNo ? markedQueue(name, word, now.queueNo) : marked(name, word),
        undoLabel: t.action.undo,
        onUndo: () => undo.mutate(now),
      });
    },
    onError: (error, appointment) => showFailure(t, error, () => mark.mutate(appointment)),
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
  /** The display name of its service. */
  service: string;
  arriving: CheckIn;
}

function Arrival({ appointment, service, arriving }: ArrivalProps) {
  const t = useT();
  const can = useCan();
  const { id, patient, startTime, priority, status, queueNo, allowedStatuses } = appointment;
  const expected = status === 'BOOKED' || status === 'CONFIRMED';
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
      {!expected && (
        <span className={classes.arrived}>
          {t.appointment.statuses[status]} {queueNo && t.appointment.queue(queueNo)}
        </span>
      )}
      {expected && allowedStatuses.includes('CHECKED_IN') && (
        <RowButton
          className={print.screen}
          aria-label={t.dashboard.checkInNamed(name)}
          busy={arriving.pendingId === id}
          onClick={() => arriving.send(appointment)}
        >
          {t.dashboard.checkIn}
        </RowButton>
      )}
    </>
  );
}
