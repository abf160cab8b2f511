import type { Appointment, Slot, SlotState } from '@/entities/appointment/api';
import type { Messages } from '@/i18n/th';
import { groupBy } from '@/lib/group-by';
import type { Calendar, ServiceDay } from './api';
import type { Filters } from './calendar-search';

/** A slot with its appointments or, in a week of all services, an hour of all of them. */
export interface Block {
  key: string;
  date: string;
  startTime: string;
  endTime: string;
  /** Null for an hour of several services. */
  serviceId: number | null;
  capacity: number;
  booked: number;
  /**
   * The state for bookings other than walk-ins. `OFF` is a time that is not a slot (any more) but still has
   * appointments.
   */
  state: SlotState | 'OFF';
  /** Its seats do not count towards the capacity. */
  closed: boolean;
  /** The start time of a new booking. */
  bookTime: string;
  appointments: Appointment[];
}

/** A service on a day, or a day of all services. */
export interface Column {
  key: string;
  date: string;
  serviceId: number | null;
  closed: boolean;
  reason: string;
  capacity: number;
  booked: number;
  blocks: Block[];
}

/** Whether and why a day or a service is closed, in words. */
export function closedText(t: Messages, { closed, reason }: Pick<Column, 'closed' | 'reason'>): string {
  if (!closed) return reason;
  return reason ? t.calendar.closedFor(reason) : t.calendar.closed;
}

/** An hour of every column. */
export interface Row {
  hour: string;
  /** The slots that start in this hour, by column. */
  cells: Block[][];
}

export interface SlotGrid {
  rows: Row[];
  columns: Column[];
}

/** narrow applies the new filters to the previous response, which is shown until the new one arrives. */
export function narrow(calendar: Calendar, { service, staff, status }: Filters): Calendar {
  return {
    days: calendar.days,
    appointments: calendar.appointments.filter(
      (one) =>
        (!service || one.serviceId === service) &&
        (!staff || one.staffId === staff) &&
        (!status || one.status === status),
    ),
    slots: calendar.slots.filter(({ serviceId }) => !service || serviceId === service),
  };
}

/** The slots of a service on a day with their appointments, including appointments whose slot no longer exists. */
function blocksOf({ serviceId, date, slots }: ServiceDay, people: Appointment[]): Block[] {
  const at = groupBy(people, ({ startTime }) => startTime);
  const block = (startTime: string, endTime: string, slot?: Slot): Block => ({
    key: `${serviceId} ${date} ${startTime}`,
    date,
    startTime,
    endTime,
    serviceId,
    capacity: slot?.capacity ?? 0,
    booked: slot?.booked ?? 0,
    state: slot?.state ?? 'OFF',
    closed: slot?.closed ?? false,
    bookTime: startTime,
    appointments: at.get(startTime) ?? [],
  });
  const blocks = slots.map((slot) => block(slot.startTime, slot.endTime, slot));
  const gone = [...at].filter(([startTime]) => !slots.some((slot) => slot.startTime === startTime));
  for (const [startTime, [first]] of gone) blocks.push(block(startTime, first?.endTime ?? startTime));
  return blocks.sort((one, other) => (one.startTime < other.startTime ? -1 : 1));
}

const sum = (blocks: Block[], of: 'capacity' | 'booked') => blocks.reduce((total, one) => total + one[of], 0);

interface GridInput {
  calendar: Calendar;
  services: { id: number }[];
}

/** A column for each service on each day. */
function serviceColumns(calendar: Calendar): Column[] {
  const dayKey = (one: { serviceId: number; date: string }) => `${one.serviceId} ${one.date}`;
  const people = groupBy(calendar.appointments, dayKey);
  const days = new Map(calendar.slots.map((day) => [dayKey(day), day]));
  for (const [key, [one]] of people) {
    if (one && !days.has(key))
      days.set(key, { serviceId: one.serviceId, date: one.date, closed: false, reason: '', slots: [] });
  }
  return [...days].map(([key, day]) => {
    const { serviceId, date, closed, reason } = day;
    const blocks = blocksOf(day, people.get(key) ?? []);
    const open = blocks.filter((block) => !block.closed);
    return {
      key,
      date,
      serviceId,
      closed,
      reason,
      capacity: sum(open, 'capacity'),
      booked: sum(blocks, 'booked'),
      blocks,
    };
  });
}

function withRows(columns: Column[]): SlotGrid {
  const byColumn = columns.map(({ blocks }) => groupBy(blocks, ({ startTime }) => startTime.slice(0, 2)));
  const hours = [...new Set(byColumn.flatMap((blocks) => [...blocks.keys()]))].sort();
  return { columns, rows: hours.map((hour) => ({ hour, cells: byColumn.map((of) => of.get(hour) ?? []) })) };
}

/** A day with a column for each service, in the hospital's order. */
export function dayGrid(input: GridInput): SlotGrid {
  const place = (id: number | null) => {
    const index = input.services.findIndex((one) => one.id === id);
    return index < 0 ? input.services.length : index;
  };
  return withRows(serviceColumns(input.calendar).sort((a, b) => place(a.serviceId) - place(b.serviceId)));
}

/** A week with a column for each day: the slots of one service, or the hours of all services. */
export function weekGrid(input: { calendar: Calendar; dates: string[]; serviceId?: number }): SlotGrid {
  const { calendar, dates, serviceId } = input;
  const of = groupBy(serviceColumns(input.calendar), ({ date }) => date);
  return withRows(
    dates.map((date) => {
      const columns = of.get(date) ?? [];
      const blocks = columns.flatMap((column) => column.blocks);
      const load = calendar.days.find((day) => day.date === date);
      return {
        key: date,
        date,
        serviceId: serviceId ?? null,
        closed: load?.closed ?? false,
        reason: load?.reason ?? '',
        capacity: load?.capacity ?? 0,
        booked: load?.booked ?? 0,
        blocks: serviceId ? blocks : byHour(date, blocks),
      };
    }),
  );
}

const STATES: Block['state'][] = ['FREE', 'FULL', 'TOO_SOON', 'TOO_LATE', 'PAST', 'CLOSED', 'OFF'];

function byHour(date: string, blocks: Block[]): Block[] {
  return [...groupBy(blocks, ({ startTime }) => startTime.slice(0, 2))].map(([hour, inIt]) => {
    const state = STATES.find((one) => inIt.some((block) => block.state === one)) ?? 'OFF';
    const open = inIt.filter((block) => !block.closed);
    return {
      key: `${date} ${hour}`,
      date,
      startTime: `${hour}:00`,
      endTime: `${hour}:59`,
      serviceId: null,
      capacity: sum(open, 'capacity'),
      booked: sum(inIt, 'booked'),
      state,
      closed: false,
      bookTime: inIt.find((block) => block.state === state)?.startTime ?? `${hour}:00`,
      appointments: inIt
        .flatMap(({ appointments }) => appointments)
        .sort((a, b) => (a.startTime < b.startTime ? -1 : a.startTime > b.startTime ? 1 : a.id - b.id)),
    };
  });
}

/** The new time of an appointment. */
export interface Target {
  serviceId: number;
  date: string;
  startTime: string;
}

/**
 * The slot for an appointment that is dropped on a block: the block's own slot or, in an hour of all services, a slot
 * of the appointment's service, preferably at the same minute. Null if the service has no slot in that hour.
 */
export function dropTarget(calendar: Calendar, appointment: Appointment, block: Block): Target | null {
  const { date, serviceId, startTime } = block;
  if (serviceId !== null) return { serviceId, date, startTime };
  const hour = startTime.slice(0, 2);
  const day = calendar.slots.find((one) => one.serviceId === appointment.serviceId && one.date === date);
  const slots = day?.slots.filter((slot) => slot.startTime.startsWith(hour)) ?? [];
  const minute = appointment.startTime.slice(2);
  const slot =
    slots.find(({ startTime: at, state }) => at.endsWith(minute) && state === 'FREE') ??
    slots.find(({ state }) => state === 'FREE') ??
    slots[0];
  return slot ? { serviceId: appointment.serviceId, date, startTime: slot.startTime } : null;
}
