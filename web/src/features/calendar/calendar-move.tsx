import { Button, Group, Modal, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@/api/error';
import { type Appointment, appointmentKeys, slotsQuery, updateAppointment } from '@/entities/appointment/api';
import { seatText, withStatus } from '@/entities/appointment/appointment-text';
import {
  type AppointmentValues,
  appointmentFields,
  changeOf,
  valuesOf,
} from '@/entities/appointment/appointment-values';
import { BookingError } from '@/entities/appointment/booking-error';
import { isOpen } from '@/entities/appointment/slots';
import { type StatusActions, undoOf } from '@/entities/appointment/use-status-actions';
import { isWalkIn } from '@/entities/appointment/walk-in';
import { allServicesQuery } from '@/entities/service/api';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import factList from '@/ui/facts.module.css';
import layout from '@/ui/layout.module.css';
import { TextLink } from '@/ui/text-link';
import { showDone, showFailure, showUndo } from '@/ui/toast';
import type { Dialog } from '@/ui/use-dialog';
import { useVersionedSave } from '@/ui/use-versioned-save';
import { useWrite } from '@/ui/use-write';
import type { Target } from './calendar-grid';

export interface Move {
  appointment: Appointment;
  to: Target;
}

interface MoveDialogProps {
  dialog: Dialog<Move>;
  onMoved: () => void;
  seatsFreed: StatusActions['seatsFreed'];
}

/** Asks before an appointment is moved. If the server rejects the move, it stays where it was. */
export function MoveDialog({ dialog, ...props }: MoveDialogProps) {
  const t = useT();
  const { subject, opened, close } = dialog;
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={subject && t.calendar.move.title(fullName(subject.appointment.patient))}
      centered
      returnFocus={false}
    >
      {subject && <MoveBody move={subject} onClose={close} {...props} />}
    </Modal>
  );
}

interface MoveBodyProps extends Omit<MoveDialogProps, 'dialog'> {
  move: Move;
  onClose: () => void;
}

function MoveBody({ move, onClose, onMoved, seatsFreed }: MoveBodyProps) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const words = t.calendar.move;
  const queryClient = useQueryClient();
  const { data: services = [] } = useQuery(allServicesQuery);
  const nameOf = useServiceName();
  const [to, setTo] = useState(move.to);
  const versioned = useVersionedSave({
    valuesOf,
    fields: appointmentFields,
    changeOf,
    update: updateAppointment,
  });
  // Another user may have moved it, too: then it is shown where it is now, before the user confirms again.
  const from: Appointment = versioned.conflict?.current ?? move.appointment;
  const refresh = () => queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
  const name = fullName(from.patient);
  const undo = useWrite({
    mutationFn: ({ now: { id, version }, back }: { now: Appointment; back: Target }) =>
      updateAppointment({ id, version, ...back }),
    onSuccess: (now) => showDone(withStatus(t, words.undone(name, seatText(t, language, now)), from, now)),
    onError: (error) => showFailure(t, error),
    onSettled: refresh,
  });
  const send = useWrite({
    mutationFn: (request: { from: Appointment; values: AppointmentValues }) =>
      versioned.save(request.from, request.values),
    onSuccess: ({ saved }, { from: moved }) => {
      onClose();
      onMoved();
      const message = withStatus(t, words.done(name, seatText(t, language, saved)), moved, saved);
      // A no-show cannot be moved back to its past slot.
      if (moved.status === 'NO_SHOW') return showDone(message);
      showUndo({
        about: undoOf(saved),
        message,
        undoLabel: t.action.undo,
        onUndo: () => undo.mutate({ now: saved, back: placeOf(moved) }),
      });
      if (moved.holdsSeat) void seatsFreed([moved]);
    },
    onError: (error, request) => versioned.onError(error, request.from, request.values),
    onSettled: refresh,
  });
  // The slot's state for this appointment: the lead time does not apply to a walk-in.
  const { data: days, isPending } = useQuery(slotsQuery(to.serviceId, to.date, to.date, isWalkIn(from)));
  const slot = days?.[0]?.slots.find(({ startTime }) => startTime === to.startTime);
  // If the slots cannot be loaded, the server decides when the move is sent.
  const state = days ? (slot?.state ?? 'CLOSED') : 'FREE';
  const code = send.error instanceof ApiError ? send.error.code : '';
  const toService =
    to.serviceId === from.serviceId ? from.service : services.find(({ id }) => id === to.serviceId);
  return (
    <div className={layout.stack}>
      <dl className={factList.fromTo}>
        <dt>{words.from}</dt>
        <dd>
          {nameOf(from.service)} {seatText(t, language, from)}
        </dd>
        <dt>{words.to}</dt>
        <dd>
          {toService && nameOf(toService)} {seatText(t, language, to)}
        </dd>
      </dl>
      {to.serviceId !== from.serviceId && (
        <Text size="sm" fw={600}>
          {words.otherService}
        </Text>
      )}
      {state !== 'FREE' && !send.error && (
        <Text size="sm" fw={600} role="status">
          {state === 'FULL' ? words.full : words.cannot(t.appointment.slotStates[state])}
        </Text>
      )}
      {send.error && (
        <>
          <BookingError
            error={send.error}
            onTake={({ date, startTime }) => {
              setTo({ ...to, date, startTime });
              send.reset();
            }}
          />
          <Text size="sm">
            {words.stays}
            {code === 'CONFLICT_VERSION' && ` ${words.changed}`}
          </Text>
          {code === 'SLOT_FULL' && can('APPOINTMENT.OVERBOOK') && (
            <TextLink to="/app/appointment/$id/edit" params={{ id: String(from.id) }} size="sm">
              {words.overbook}
            </TextLink>
          )}
        </>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t.action.back}
        </Button>
        <Button
          loading={send.isPending}
          // A full slot can be sent: the server answers with the next free slots.
          disabled={isPending || !isOpen({ state })}
          onClick={() => send.mutate({ from, values: { ...valuesOf(from), ...to } })}
        >
          {words.confirm}
        </Button>
      </Group>
    </div>
  );
}

function placeOf({ serviceId, date, startTime }: Appointment): Target {
  return { serviceId, date, startTime };
}
