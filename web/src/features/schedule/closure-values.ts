import { z } from 'zod';
import type { Messages } from '@/i18n/th';
import { parseClock } from '@/lib/clock';
import type { ClosureFields, ClosureKind } from './api';

/** The values of the closure form. */
export interface ClosureValues extends Record<string, unknown> {
  dateFrom: string | null;
  dateTo: string | null;
  allDay: boolean;
  startTime: string;
  endTime: string;
  scope: 'hospital' | 'services';
  /** Ids as strings, as the input returns them. */
  services: string[];
  kind: ClosureKind;
  reason: string;
}

/** Initial values of a closure: the selected time and service. */
export interface ClosureDraft {
  dateFrom: string;
  dateTo: string;
  startTime?: string;
  endTime?: string;
  serviceId?: number;
  kind?: ClosureKind;
}

export function valuesOf(draft: ClosureDraft): ClosureValues {
  const { dateFrom, dateTo, startTime, endTime, serviceId, kind = 'CLOSED' } = draft;
  return {
    dateFrom,
    dateTo,
    allDay: startTime === undefined,
    startTime: startTime ?? '',
    endTime: endTime ?? '',
    scope: serviceId === undefined ? 'hospital' : 'services',
    services: serviceId === undefined ? [] : [String(serviceId)],
    kind,
    reason: '',
  };
}

const MAX_REASON = 200;

export function closureSchema(t: Messages) {
  const words = t.schedule.closure;
  return z.object({
    dateFrom: z.string({ error: words.dateRequired }),
    dateTo: z.string({ error: words.dateRequired }),
    reason: z
      .string()
      .refine((text) => text.trim() !== '', words.reasonRequired)
      .refine((text) => [...text].length <= MAX_REASON, t.account.rule.tooLong(MAX_REASON)),
  });
}

/** The rules that need more than one field. */
export function closureFaults(t: Messages, values: ClosureValues) {
  const { dateFrom, dateTo, allDay, startTime, endTime, scope, services } = values;
  const words = t.schedule.closure;
  const [start, end] = [parseClock(startTime), parseClock(endTime)];
  const order = start && end && end <= start ? words.timeOrder : null;
  return {
    dateTo: dateFrom && dateTo && dateTo < dateFrom ? words.dateOrder : null,
    startTime: !allDay && !start ? words.timeInvalid : null,
    endTime: allDay ? null : end ? order : words.timeInvalid,
    services: scope === 'services' && services.length === 0 ? words.servicesRequired : null,
  };
}

/** The request, or null if days, times or services are missing or invalid. The reason may be empty. */
export function fieldsOf(t: Messages, values: ClosureValues): ClosureFields | null {
  const { dateFrom, dateTo, allDay, startTime, endTime, scope, services, kind, reason } = values;
  if (!dateFrom || !dateTo || Object.values(closureFaults(t, values)).some(Boolean)) return null;
  return {
    dateFrom,
    dateTo,
    ...(allDay
      ? {}
      : { startTime: parseClock(startTime) ?? undefined, endTime: parseClock(endTime) ?? undefined }),
    serviceIds: scope === 'hospital' ? [] : services.map(Number).sort((a, b) => a - b),
    kind,
    reason: reason.trim(),
  };
}
