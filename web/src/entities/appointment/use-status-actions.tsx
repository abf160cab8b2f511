import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { putRecord } from '@/api/put-record';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { ReasonDialog } from '@/ui/reason-dialog';
import { dismissUndo, showDone, showFailure, showUndo } from '@/ui/toast';
import { useDialog } from '@/ui/use-dialog';
import { useWrite } from '@/ui/use-write';
import {
  type Appointment,
  type AppointmentStatus,
  appointmentKeys,
  appointmentListQuery,
  markStatus,
  undoStatus,
} from './api';
import { seatText } from './appointment-text';
import { type FreedSeat, seatKey, WaitlistDialog } from './waitlist-dialog';

interface StatusChange {
  appointment: Appointment;
  to: AppointmentStatus;
}

export interface StatusActions {
  /** Sets the status, after asking for a reason if one is needed. */
  mark: (appointment: Appointment, to: AppointmentStatus) => void;
  undo: (appointment: Appointment) => void;
  /** Shows the patients who wait for these seats, if there are any. */
  seatsFreed: (seats: FreedSeat[]) => Promise<void>;
  showWaitlist: (seat: FreedSeat) => void;
  pending: boolean;
  dialogs: ReactNode;
}

/** The key of the undo toast of an appointment. */
export const undoOf = ({ id }: { id: number }) => `appointment ${id}`;

/**
 * useStatusActions sets statuses, with undo, with a reason where one is needed, and with the waiting list of freed
 * seats.
 */
export function useStatusActions(): StatusActions {
  const t = useT();
  const { language } = useLanguage();
  const queryClient = useQueryClient();
  const ask = useDialog<StatusChange>();
  const waiting = useDialog<FreedSeat[]>();
  const refresh = () => queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
  const undo = useWrite({
    mutationFn: ({ id, version }: Appointment) => undoStatus(id, version),
    onSuccess: (now) => {
      dismissUndo(undoOf(now));
      showDone(t.appointment.undone(fullName(now.patient), t.appointment.statuses[now.status]));
    },
    onError: (error) => showFailure(t, error),
    onSettled: refresh,
  });
  const seatsFreed = async (seats: FreedSeat[]) => {
    const [first] = seats;
    if (!first) return;
    const dates = seats.map(({ date }) => date).sort();
    const serviceIds = [...new Set(seats.map(({ serviceId }) => serviceId))];
    const { items } = await queryClient
      .fetchQuery({
        ...appointmentListQuery({
          statuses: ['WAITLISTED'],
          serviceIds,
          dateFrom: dates[0],
          dateTo: dates.at(-1),
          page: 1,
          pageSize: 200,
        }),
        staleTime: 0,
      })
      .catch(() => ({ items: [] }));
    const wanted = new Set(items.map(seatKey));
    const free = new Map(
      seats.filter((seat) => wanted.has(seatKey(seat))).map((seat) => [seatKey(seat), seat]),
    );
    if (free.size > 0) waiting.open([...free.values()]);
  };
  const send = async ({ appointment, to }: StatusChange, reason = '') => {
    const { id, version, patient, holdsSeat } = appointment;
    const now = await markStatus({ id, version, status: to, reason });
    putRecord(queryClient, appointmentKeys.all, now);
    void refresh();
    const [name, word] = [fullName(patient), t.appointment.statuses[to]];
    const { marked, markedQueue } = t.appointment;
    const queued = to === 'CHECKED_IN' && now.queueNo;
    showUndo({
      about: undoOf(now),
      message: queued ? markedQueue(name, word, queued) : marked(name, word),
      undoLabel: t.action.undo,
      onUndo: () => undo.mutate(now),
    });
    if (to === 'CANCELLED' && holdsSeat) await seatsFreed([appointment]);
  };
  const marking = useWrite({
    mutationFn: (wish: StatusChange) => send(wish),
    onError: (error, wish) => {
      showFailure(t, error, () => marking.mutate(wish));
      // Another user may have changed it.
      void refresh();
    },
  });
  const cancels = ask.subject?.to === 'CANCELLED';
  return {
    mark: (appointment, to) =>
      appointment.reasonStatuses.includes(to)
        ? ask.open({ appointment, to })
        : marking.mutate({ appointment, to }),
    undo: (appointment) => undo.mutate(appointment),
    seatsFreed,
    showWaitlist: (seat) => waiting.open([seat]),
    pending: marking.isPending || undo.isPending,
    dialogs: (
      <>
        {ask.subject && (
          <ReasonDialog
            opened={ask.opened}
            onClose={ask.close}
            title={
              cancels
                ? t.appointment.cancel.title(fullName(ask.subject.appointment.patient))
                : t.appointment.back.title(t.appointment.statuses[ask.subject.to])
            }
            text={
              cancels
                ? t.appointment.cancel.text(seatText(t, language, ask.subject.appointment))
                : t.appointment.back.text(fullName(ask.subject.appointment.patient))
            }
            confirmLabel={cancels ? t.appointment.cancel.confirm : t.appointment.back.confirm}
            keepLabel={cancels ? t.appointment.cancel.keep : undefined}
            danger={cancels}
            onConfirm={(reason) => (ask.subject ? send(ask.subject, reason) : Promise.resolve())}
          />
        )}
        <WaitlistDialog seats={waiting.subject ?? []} opened={waiting.opened} onClose={waiting.close} />
      </>
    ),
  };
}
