import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type Appointment,
  type AppointmentDetails,
  appointmentKeys,
  updateAppointment,
} from '@/entities/appointment/api';
import { seatText, withStatus } from '@/entities/appointment/appointment-text';
import {
  type AppointmentValues,
  appointmentFields,
  appointmentSchema,
  changedFields,
  changeOf,
  movesSeat,
  valuesOf,
} from '@/entities/appointment/appointment-values';
import { afterDate } from '@/entities/appointment/reschedule';
import { useSlotChoice } from '@/entities/appointment/use-slot-choice';
import type { StatusActions } from '@/entities/appointment/use-status-actions';
import { isWalkIn } from '@/entities/appointment/walk-in';
import { allServicesQuery } from '@/entities/service/api';
import { useLanguage, useT } from '@/i18n/provider';
import { hospitalToday } from '@/lib/thai-date';
import { showDone } from '@/ui/toast';
import { useLiveForm } from '@/ui/use-live-form';
import { useNewerRecord, useVersionedForm } from '@/ui/use-versioned-form';

/** useEditForm connects the form of an appointment with its slots and the server. */
export function useEditForm(appointment: AppointmentDetails, onMoved: StatusActions['seatsFreed']) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.appointment.edit;
  const queryClient = useQueryClient();
  const form = useLiveForm<AppointmentValues>(valuesOf(appointment), appointmentSchema);
  const { values } = form;
  const {
    base: baseRef,
    startFrom,
    pending,
    ...save
  } = useVersionedForm(form, {
    record: appointment as Appointment,
    valuesOf,
    fields: appointmentFields,
    changeOf,
    update: updateAppointment,
    prepare: (now) => withSeat({ ...now, overbookReason: isFull ? now.overbookReason : '' }),
    onSaved: (saved, change, before) => {
      const from = before ?? saved;
      const moved = movesSeat(change);
      const done = moved
        ? words.moved(saved.number, seatText(t, language, saved))
        : words.saved(saved.number);
      showDone(withStatus(t, done, from, saved));
      slots.show(null);
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
      if (moved && from.holdsSeat && !afterDate(from)) void onMoved([from]);
    },
    onError: () => {
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.slots });
      return false;
    },
  });
  const base = baseRef.current ?? appointment;
  const before = valuesOf(base);
  const newer = useNewerRecord<Appointment>(
    appointment,
    { base, startFrom, pending },
    changedFields(before, values).length === 0,
  );

  const { movable } = appointment;
  const after = afterDate(base);
  // The appointment's own service may not take bookings any more.
  const { data: services = [] } = useQuery(allServicesQuery);
  const service = services.find(({ id }) => id === values.serviceId);
  const slots = useSlotChoice(
    movable ? service : undefined,
    values,
    isWalkIn(values),
    false,
    after ? hospitalToday() : null,
  );
  const { slot, day } = slots;
  const seat = movable && slot && day ? { date: day.date, startTime: slot.startTime } : null;
  /** The values with the proposed seat, where none was chosen. */
  const withSeat = (now: AppointmentValues): AppointmentValues => (seat ? { ...now, ...seat } : now);
  const current = withSeat(values);
  const changed = changedFields(before, current);
  const moves = changed.some((field) => field === 'serviceId' || field === 'date' || field === 'startTime');
  const isFull = Boolean(moves && seat && slot?.state === 'FULL');

  const setTime = (date: string, startTime: string) => form.setValues({ date, startTime });
  return {
    ...save,
    form,
    base,
    pending,
    movable,
    after,
    services: services.filter(({ id, active }) => active || id === base.serviceId),
    service,
    slots,
    seat,
    /** The values that would be saved. */
    current,
    changed,
    moves,
    isFull,
    outdated: newer !== null && changedFields(before, valuesOf(newer)).length > 0,
    unsaved: () =>
      changedFields(valuesOf(baseRef.current ?? appointment), withSeat(form.getValues())).length > 0,
    discard: () => startFrom(appointment),
    setTime,
    chooseService: (id: number) => {
      form.setFieldValue('serviceId', id);
      if (id === base.serviceId) setTime(base.date, base.startTime);
      else setTime('', '');
      slots.show(null);
    },
    takeTheirs: () => {
      save.conflict?.takeTheirs();
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
    },
  };
}

export type EditContext = ReturnType<typeof useEditForm>;
