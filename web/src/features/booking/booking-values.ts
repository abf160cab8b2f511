import type { UseFormReturnType } from '@mantine/form';
import { z } from 'zod';
import type { BookingInput, SeriesInput } from '@/entities/appointment/api';
import type { Seat } from '@/entities/appointment/appointment-text';
import { appointmentSchema } from '@/entities/appointment/appointment-values';
import type { Messages } from '@/i18n/th';

/** What is done with a slot: a full one is waited for, or taken beyond its capacity. */
export type BookingAction = 'BOOK' | 'WAIT' | 'OVERBOOK';

export const MAX_VISITS = 24;
export const MAX_INTERVAL = { weeks: 52, days: 366 };

const typedNumber = z.union([z.number(), z.string()]);

/** The details of a booking. Patient, service and time are chosen beside the form (booking-machine.ts). */
export function bookingSchema(t: Messages) {
  return appointmentSchema
    .omit({ serviceId: true, date: true, startTime: true })
    .extend({
      repeat: z.boolean(),
      every: typedNumber,
      unit: z.enum(['weeks', 'days']),
      count: typedNumber,
    })
    .superRefine(({ repeat, every, unit, count }, context) => {
      if (!repeat) return;
      const check = (path: 'every' | 'count', value: number | string, max: number) => {
        if (isBetween(Number(value), max)) return;
        context.addIssue({ code: 'custom', path: [path], message: t.appointment.everyRange(max) });
      };
      check('every', every, MAX_INTERVAL[unit]);
      check('count', count, MAX_VISITS);
    });
}

const isBetween = (number: number, max: number) => Number.isInteger(number) && number >= 1 && number <= max;

export type BookingValues = z.infer<ReturnType<typeof bookingSchema>>;
export type BookingForm = UseFormReturnType<BookingValues>;

export const NEW_BOOKING: BookingValues = {
  staffId: '',
  kind: 'NEW',
  channel: 'STAFF',
  priority: 'ROUTINE',
  reason: '',
  note: '',
  overbookReason: '',
  repeat: false,
  every: 4,
  unit: 'weeks',
  count: 3,
};

export interface Booking {
  patientId: number;
  serviceId: number;
  seat: Seat;
  action: BookingAction;
  followUpOfId?: number;
}

/** The request for one booking. The reason for overbooking is sent only if the slot is overbooked. */
export function bookingBody(
  values: BookingValues,
  { patientId, serviceId, seat, action, followUpOfId }: Booking,
): BookingInput {
  const { staffId, kind, channel, priority, reason, note, overbookReason } = values;
  return {
    patientId,
    serviceId,
    date: seat.date,
    startTime: seat.startTime,
    kind,
    channel,
    priority,
    reason: reason.trim(),
    note: note.trim(),
    ...(staffId && { staffId: Number(staffId) }),
    ...(followUpOfId && { followUpOfId }),
    ...(action === 'WAIT' && { waitlist: true }),
    ...(action === 'OVERBOOK' && { overbookReason: overbookReason.trim() }),
  };
}

export function seriesBody(values: BookingValues, booking: Booking): SeriesInput {
  const every = Number(values.every);
  return {
    ...bookingBody(values, booking),
    count: Number(values.count),
    ...(values.unit === 'weeks' ? { everyWeeks: every } : { everyDays: every }),
  };
}
