import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useReducer } from 'react';
import { appointmentKeys, type SeriesBooked, type SeriesInput } from '@/entities/appointment/api';
import { overbookLeft } from '@/entities/appointment/slots';
import { useSlotChoice } from '@/entities/appointment/use-slot-choice';
import { useUpcomingAppointments } from '@/entities/appointment/use-upcoming-appointments';
import { isWalkIn } from '@/entities/appointment/walk-in';
import { patientKeys } from '@/entities/patient/api';
import { servicesQuery } from '@/entities/service/api';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { book, bookSeries, previewSeries } from './api';
import {
  type BookingStart,
  bookingReducer,
  hasChoices,
  incompleteStep,
  previewOf,
  startBooking,
  stepOf,
} from './booking-machine';
import {
  type BookingAction,
  type BookingValues,
  bookingBody,
  bookingSchema,
  NEW_BOOKING,
  seriesBody,
} from './booking-values';

/** What the server answered: a preview, or what was booked. */
type Answer =
  | { type: 'previewed'; request: SeriesInput; series: SeriesBooked }
  | { type: 'booked'; booked: SeriesBooked };

/** useBooking connects the booking machine with the form, the slots and the server. */
export function useBooking(start: BookingStart) {
  const t = useT();
  const can = useCan();
  const queryClient = useQueryClient();
  const [state, dispatch] = useReducer(bookingReducer, start, (from) => startBooking(from));
  const { patientId } = state;
  const form = useLiveForm<BookingValues>(
    { ...NEW_BOOKING, kind: start.followUpOfId ? 'FOLLOW_UP' : 'NEW' },
    bookingSchema(t),
  );
  const { values } = form;
  const services = useQuery(servicesQuery);
  // The only service of a hospital is chosen.
  const service =
    services.data?.find(({ id }) => id === state.serviceId) ??
    (services.data?.length === 1 ? services.data[0] : undefined);
  const serviceId = service?.id ?? 0;
  const walkIn = isWalkIn(values);
  const slots = useSlotChoice(service, state, walkIn, patientId === 0);
  const { slot, day } = slots;
  const seat = slot && day ? { date: day.date, startTime: slot.startTime } : null;
  const upcoming = useUpcomingAppointments(patientId, { statusGroup: 'OPEN' });

  const mayOverbook =
    can('APPOINTMENT.OVERBOOK') && slot && overbookLeft(slot, service?.overbookLimit ?? 0) > 0;
  const forFull: BookingAction = state.full === 'OVERBOOK' && mayOverbook ? 'OVERBOOK' : 'WAIT';
  const available: BookingAction = slot?.state === 'FULL' ? forFull : 'BOOK';
  const choice =
    patientId > 0 && service && seat ? { patientId, serviceId, ...seat, walkIn, full: state.full } : null;
  const { offer } = bookingReducer(state, { type: 'offer', choice, action: available });
  if (offer !== state.offer) dispatch({ type: 'offer', choice, action: available });
  const action = offer?.action ?? available;

  const booking = {
    patientId,
    serviceId,
    seat: seat ?? { date: '', startTime: '' },
    action,
    // A follow-up belongs to the patient of the address only.
    followUpOfId: patientId === start.patientId ? start.followUpOfId : undefined,
  };
  const request = seriesBody(values, booking);
  const previewed = values.repeat ? previewOf(state, request) : null;

  const { onSubmit, pending, error } = useFormSubmit(form, {
    dedupeKey: [booking, previewed !== null],
    send: async (now): Promise<Answer> => {
      if (!now.repeat) {
        const one = await book(bookingBody(now, booking));
        return { type: 'booked', booked: { items: [one], skipped: [] } };
      }
      const series = seriesBody(now, booking);
      if (previewed) return { type: 'booked', booked: await bookSeries(series) };
      return { type: 'previewed', request: series, series: await previewSeries(series) };
    },
    onSuccess: (answer) => {
      dispatch(answer);
      if (answer.type !== 'booked') return;
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
      void queryClient.invalidateQueries({ queryKey: patientKeys.all });
    },
    onError: () => {
      // The slots may have changed since they were fetched.
      void queryClient.invalidateQueries({ queryKey: appointmentKeys.slots });
      dispatch({ type: 'failed' });
      return false;
    },
  });

  const facts = { serviceId, seat, action, overbookReason: values.overbookReason };
  return {
    state,
    dispatch,
    form,
    services,
    service,
    slots,
    seat,
    upcoming,
    action,
    /** What can be done now instead, after other users filled or freed the slot. */
    instead: offer && offer.action !== available ? available : null,
    follow: () => dispatch({ type: 'follow', action: available }),
    previewed,
    incomplete: incompleteStep(state, facts),
    step: stepOf(state, { ...facts, repeat: values.repeat, request, error }),
    onSubmit,
    pending,
    error,
    chooseTime: (date: string, startTime: string) => dispatch({ type: 'chooseTime', date, startTime }),
    chooseService: (id: number) => {
      form.setFieldValue('staffId', '');
      const keepDate = Boolean(start.date) && start.serviceId === id;
      dispatch({ type: 'chooseService', serviceId: id, keepDate });
      slots.show(null);
    },
    unsaved: () => form.isDirty() || hasChoices(state, start),
  };
}

export type BookingContext = ReturnType<typeof useBooking>;
