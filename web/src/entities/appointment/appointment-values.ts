import { z } from 'zod';
import { isIsoDate } from '@/lib/thai-date';
import {
  type Appointment,
  type AppointmentChange,
  CHANNELS,
  KINDS,
  MAX_NOTE,
  MAX_OVERBOOK_REASON,
  MAX_REASON,
  PRIORITIES,
} from './api';

/** Counts characters as the server does: a surrogate pair is one. */
const text = (max: number) => z.string().refine((value) => [...value].length <= max);

const isTime = (time: string) => /^([01]\d|2[0-3]):[0-5]\d$/.test(time);

/**
 * What the booking form and the edit form hold of an appointment. An empty date or time stands for the proposed seat, an
 * empty staffId for any staff. The inputs limit the length of the texts, so a violation has no translated message.
 */
export const appointmentSchema = z.object({
  serviceId: z.number().int().nonnegative(),
  date: z.string().refine((date) => date === '' || isIsoDate(date)),
  startTime: z.string().refine((time) => time === '' || isTime(time)),
  staffId: z.string().regex(/^\d*$/),
  kind: z.enum(KINDS),
  channel: z.enum(CHANNELS),
  priority: z.enum(PRIORITIES),
  reason: text(MAX_REASON),
  note: text(MAX_NOTE),
  overbookReason: text(MAX_OVERBOOK_REASON),
});

export type AppointmentValues = z.infer<typeof appointmentSchema>;

export function valuesOf(appointment: Appointment): AppointmentValues {
  const { serviceId, date, startTime, staffId, kind, channel, priority, reason, note } = appointment;
  return {
    serviceId,
    date,
    startTime,
    staffId: staffId ? String(staffId) : '',
    kind,
    channel,
    priority,
    reason,
    note,
    overbookReason: '',
  };
}

/** The fields of an appointment that users change, in the order of the form. */
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

export function changedFields(before: AppointmentValues, now: AppointmentValues): Changeable[] {
  return CHANGEABLE.filter((field) => before[field] !== now[field]);
}

/** The request for a change. It holds the changed fields only, so that other users' changes are kept. */
export function changeBody(
  { id, version }: Appointment,
  before: AppointmentValues,
  now: AppointmentValues,
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
