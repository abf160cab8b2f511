import { z } from 'zod';
import { isIsoDate } from '@/lib/thai-date';
import type { Fields } from '@/lib/three-way';
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
 * The values of the booking form and the edit form. An empty date or time stands for the proposed seat,
 * an empty staffId for any staff. The inputs limit the length of the texts, so a violation has no translated message.
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
type Changeable = (typeof CHANGEABLE)[number];

export function changedFields(before: AppointmentValues, now: AppointmentValues): Changeable[] {
  return CHANGEABLE.filter((field) => before[field] !== now[field]);
}

/**
 * The request for a change, or null if nothing differs. It holds the changed fields only, so that other users' changes
 * are kept.
 */
export function changeOf(appointment: Appointment, now: AppointmentValues): AppointmentChange | null {
  const { id, version } = appointment;
  const changed = changedFields(valuesOf(appointment), now);
  if (changed.length === 0) return null;
  const sent: Partial<AppointmentChange> = {};
  for (const field of changed) {
    Object.assign(sent, {
      [field]: field === 'staffId' ? (now.staffId ? Number(now.staffId) : null) : now[field],
    });
  }
  const overbookReason = now.overbookReason.trim();
  return { id, version, ...sent, ...(overbookReason && { overbookReason }) };
}

const SEAT = ['serviceId', 'date', 'startTime'] as const satisfies Changeable[];
const isSeat = (field: Changeable) => SEAT.some((part) => part === field);

/**
 * The fields that two users may change at once. Service, date and time are one field, `seat`: a merge of two seats
 * would be one that neither user chose. The reason for overbooking belongs to it.
 */
export const appointmentFields: Fields<AppointmentValues> = {
  changed: (before, after) => [
    ...new Set(changedFields(before, after).map((field) => (isSeat(field) ? 'seat' : field))),
  ],
  take: (values, from, fields) => {
    const taken = { ...values };
    for (const field of CHANGEABLE)
      if (fields.includes(isSeat(field) ? 'seat' : field)) Object.assign(taken, { [field]: from[field] });
    return fields.includes('seat') ? { ...taken, overbookReason: from.overbookReason } : taken;
  },
};

/** True if a change moves the appointment to another seat. */
export const movesSeat = (change: AppointmentChange | null) =>
  change !== null && SEAT.some((field) => change[field] !== undefined);
