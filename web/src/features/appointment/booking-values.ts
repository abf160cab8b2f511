import type { UseFormReturnType } from '@mantine/form';
import { z } from 'zod';
import type { Messages } from '@/i18n/th';
import type {
  Appointment,
  AppointmentChange,
  AppointmentKind,
  BookingInput,
  Channel,
  Priority,
  SeriesInput,
} from './api';
import type { Deed } from './offer';
import type { FullAnswer } from './time-choice';
import type { Seat } from './words';

/** What the form holds. The patient is chosen beside it; an empty date or time leaves it to the proposal. */
export type BookingValues = {
  serviceId: number;
  date: string;
  startTime: string;
  staffId: string;
  kind: AppointmentKind;
  channel: Channel;
  priority: Priority;
  reason: string;
  note: string;
  overbookReason: string;
  /** What to do about a full slot. */
  full: FullAnswer;
  repeat: boolean;
  every: number | string;
  unit: 'weeks' | 'days';
  count: number | string;
};

export type BookingForm = UseFormReturnType<BookingValues>;

export const NEW_BOOKING: BookingValues = {
  serviceId: 0,
  date: '',
  startTime: '',
  staffId: '',
  kind: 'NEW',
  channel: 'STAFF',
  priority: 'ROUTINE',
  reason: '',
  note: '',
  overbookReason: '',
  full: 'WAIT',
  repeat: false,
  every: 4,
  unit: 'weeks',
  count: 3,
};

export const MOST_VISITS = 24;
export const MOST_BETWEEN = { weeks: 52, days: 366 };

/** The server judges the rest; numbers it could not even read are told here. */
export const bookingSchema = z.custom<BookingValues>();

export function repeatFaults(t: Messages, { repeat, every, unit, count }: BookingValues) {
  const told = (value: number | string, most: number) =>
    repeat && !isBetween(Number(value), most) ? t.appointment.everyRange(most) : null;
  return { every: told(every, MOST_BETWEEN[unit]), count: told(count, MOST_VISITS) };
}

const isBetween = (number: number, most: number) => Number.isInteger(number) && number >= 1 && number <= most;

interface Booking {
  patientId: number;
  seat: Seat;
  /** What is done with it. */
  deed: Deed;
  followUpOfId?: number;
}

/** A booking as the server takes it. What was typed for a full slot counts only while it is full. */
export function bookingBody(
  values: BookingValues,
  { patientId, seat, deed, followUpOfId }: Booking,
): BookingInput {
  const { serviceId, staffId, kind, channel, priority, reason, note, overbookReason } = values;
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
    ...(deed === 'WAIT' && { waitlist: true }),
    ...(deed === 'OVERBOOK' && { overbookReason: overbookReason.trim() }),
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

/** An appointment as the form holds it. */
export function valuesOf(appointment: Appointment): BookingValues {
  const { serviceId, date, startTime, staffId, kind, channel, priority, reason, note } = appointment;
  return {
    ...NEW_BOOKING,
    serviceId,
    date,
    startTime,
    staffId: staffId ? String(staffId) : '',
    kind,
    channel,
    priority,
    reason,
    note,
    full: 'OVERBOOK',
  };
}

/** The fields of an appointment that people change, in the order of the form. */
const CHANGEABLE = [
  'serviceId',
  'date',
  'startTime',
  'kind',
  'channel',
  'priority',
  'staffId',
  'reason',
  'note',
] as const;
export type Changeable = (typeof CHANGEABLE)[number];

export function changedFields(before: BookingValues, now: BookingValues): Changeable[] {
  return CHANGEABLE.filter((field) => before[field] !== now[field]);
}

/** Only what was changed is sent, so that what somebody else changed meanwhile stays. */
export function changeBody(
  { id, version }: Appointment,
  before: BookingValues,
  now: BookingValues,
): AppointmentChange {
  const sent: Partial<AppointmentChange> = {};
  for (const field of changedFields(before, now)) {
    Object.assign(sent, {
      [field]: field === 'staffId' ? (now.staffId ? Number(now.staffId) : null) : now[field],
    });
  }
  const overbookReason = now.overbookReason.trim();
  return { id, version, ...sent, ...(overbookReason && { overbookReason }) };
}
