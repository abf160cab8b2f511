import type { Language } from '@/i18n/language';
import type { Messages } from '@/i18n/th';
import { formatDate, formatTime, isIsoDate } from '@/lib/thai-date';
import type { Change } from '@/ui/change-list';
import type { HistoryEntry } from './api';

/** Display names of codes and ids. */
export interface Names {
  t: Messages;
  language: Language;
  service: (id: number) => string;
  staff: (id: number) => string;
}

/** The fields shown in the history, in this order. */
const HISTORY_FIELDS = [
  'status',
  'serviceId',
  'date',
  'startTime',
  'staffId',
  'kind',
  'channel',
  'priority',
  'reason',
  'note',
  'overbooked',
  'overbookReason',
  'queueNo',
  'cancelReason',
] as const;
type HistoryField = (typeof HISTORY_FIELDS)[number];
/** The fields shown of a new booking. */
const BOOKING_FIELDS: readonly HistoryField[] = [
  'status',
  'serviceId',
  'date',
  'startTime',
  'staffId',
  'overbookReason',
];

/** The display text of a value; empty for none. */
export function fieldText({ t, language, service, staff }: Names, field: string, value: unknown): string {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return '';
  const codes: Partial<Record<string, Record<string, string>>> = {
    status: t.appointment.statuses,
    kind: t.appointment.kinds,
    channel: t.appointment.channels,
    priority: t.appointment.priorities,
  };
  if (value === true) return t.audit.yes;
  const text = String(value);
  if (field === 'serviceId') return service(Number(value));
  if (field === 'staffId') return staff(Number(value));
  if (field === 'startTime') return formatTime(text, language);
  if (field === 'date' && isIsoDate(text)) return formatDate(text, language);
  return codes[field]?.[text] ?? text;
}

type Fields = Partial<Record<string, unknown>>;

/** The differences between two states, field by field, as texts. */
export function changesBetween(
  names: Names,
  from: Fields,
  to: Fields,
  fields: readonly HistoryField[] = HISTORY_FIELDS,
): Change[] {
  return fields.flatMap((field) => {
    const before = fieldText(names, field, from[field]);
    const after = fieldText(names, field, to[field]);
    if (before === after) return [];
    return [{ key: field, label: names.t.appointment.field[field], kind: 'value' as const, before, after }];
  });
}

export function historyChanges(names: Names, { action, from, to }: HistoryEntry): Change[] {
  if (action === 'DELETE') return [];
  return changesBetween(names, from, to, action === 'CREATE' ? BOOKING_FIELDS : HISTORY_FIELDS);
}
