import { describe, expect, it } from 'vitest';
import type { Slot } from '@/entities/appointment/api';
import { anAppointment } from '@/test/appointments';
import type { Calendar } from './api';
import { dayGrid, dropTarget, narrow, weekGrid } from './calendar-grid';

const DAY = '2026-11-16';

const slot = (startTime: string, endTime: string, fields: Partial<Slot> = {}): Slot => ({
  startTime,
  endTime,
  capacity: 2,
  booked: 0,
  available: 2,
  state: 'FREE',
  overridden: false,
  past: false,
  closed: false,
  waitlisted: 0,
  ...fields,
});

const calendar = (fields: Partial<Calendar> = {}): Calendar => ({
  days: [{ date: DAY, closed: false, reason: '', capacity: 8, booked: 3, byStatus: {}, services: [] }],
  slots: [
    {
      serviceId: 3,
      date: DAY,
      closed: false,
      reason: '',
      slots: [
        slot('09:00', '09:30', { past: true, state: 'PAST', booked: 1 }),
        slot('09:30', '10:00', { booked: 2, available: 0, state: 'FULL' }),
        slot('10:00', '10:30'),
      ],
    },
    { serviceId: 4, date: DAY, closed: true, reason: 'แพทย์ลา', slots: [] },
  ],
  appointments: [
    anAppointment({ id: 1, startTime: '09:00' }),
    anAppointment({ id: 2, startTime: '09:30' }),
    anAppointment({ id: 3, startTime: '09:30', staffId: 8 }),
    anAppointment({ id: 4, startTime: '16:00', status: 'WAITLISTED' }),
  ],
  ...fields,
});

const services = [{ id: 4 }, { id: 3 }];

describe('a day', () => {
  it('has its services in the hospital’s order, each slot with its people', () => {
    const { columns, rows } = dayGrid({ calendar: calendar(), services });
    expect(columns.map(({ serviceId }) => serviceId)).toEqual([4, 3]);
    expect(columns[0]).toMatchObject({ closed: true, reason: 'แพทย์ลา', blocks: [] });
    const blocks = columns[1]?.blocks ?? [];
    expect(blocks.map(({ startTime, state }) => `${startTime} ${state}`)).toEqual([
      '09:00 PAST',
      '09:30 FULL',
      '10:00 FREE',
      '16:00 OFF',
    ]);
    expect(blocks.map(({ appointments }) => appointments.map(({ id }) => id))).toEqual([
      [1],
      [2, 3],
      [],
      [4],
    ]);
    expect(rows.map(({ hour, cells }) => [hour, ...cells.map(({ length }) => length)])).toEqual([
      ['09', 0, 2],
      ['10', 0, 1],
      ['16', 0, 1],
    ]);
    expect(columns[1]).toMatchObject({ booked: 3, capacity: 6 });
  });

  it('shows a patient whose service is closed that day', () => {
    const { columns } = dayGrid({ calendar: calendar({ slots: [] }), services });
    expect(columns).toHaveLength(1);
    expect(columns[0]?.blocks.flatMap(({ appointments }) => appointments)).toHaveLength(4);
  });
});

describe('a week', () => {
  const dates = ['2026-11-15', DAY];

  it('has the slots of its one service', () => {
    const { columns } = weekGrid({ calendar: calendar(), dates, serviceId: 3 });
    expect(columns.map(({ blocks }) => blocks.length)).toEqual([0, 4]);
    expect(columns[1]).toMatchObject({ booked: 3, capacity: 8 });
  });

  it('has hours where there are several services, booked at the first free time', () => {
    const several = calendar();
    several.slots[1] = {
      serviceId: 4,
      date: DAY,
      closed: false,
      reason: '',
      slots: [slot('09:40', '10:00')],
    };
    const { columns } = weekGrid({ calendar: several, dates });
    const nine = columns[1]?.blocks.find(({ startTime }) => startTime === '09:00');
    expect(nine).toMatchObject({ serviceId: null, state: 'FREE', bookTime: '09:40', booked: 3, capacity: 6 });
    expect(nine?.appointments.map(({ id }) => id)).toEqual([1, 2, 3]);
  });
});

describe('dropping', () => {
  const [person] = calendar().appointments;
  if (!person) throw new Error('nobody');

  it('on a slot means that slot, of whatever service', () => {
    const [, column] = dayGrid({ calendar: calendar(), services }).columns;
    const [, , free] = column?.blocks ?? [];
    if (!free) throw new Error('no slot');
    expect(dropTarget(calendar(), person, free)).toEqual({ serviceId: 3, date: DAY, startTime: '10:00' });
  });

  it('on an hour means a free slot of its own service there, or nothing', () => {
    const week = weekGrid({ calendar: calendar(), dates: [DAY] });
    const hour = (start: string) => {
      const block = week.columns[0]?.blocks.find(({ startTime }) => startTime === start);
      if (!block) throw new Error(`no ${start}`);
      return block;
    };
    expect(dropTarget(calendar(), person, hour('10:00'))).toMatchObject({ serviceId: 3, startTime: '10:00' });
    expect(dropTarget(calendar(), person, hour('16:00'))).toBeNull();
    // A slot inside the lead time is not free.
    const soon = calendar();
    soon.slots[0]?.slots.push(slot('10:30', '11:00'));
    for (const one of soon.slots[0]?.slots ?? [])
      if (one.startTime === '10:00') Object.assign(one, { state: 'TOO_SOON', available: 0 });
    expect(dropTarget(soon, person, hour('10:00'))).toMatchObject({ serviceId: 3, startTime: '10:30' });
  });
});

it('shows nothing of an earlier answer that another filter leaves out', () => {
  const { appointments, slots } = narrow(calendar(), { service: 3, staff: 8 });
  expect(appointments.map(({ id }) => id)).toEqual([3]);
  expect(slots.map(({ serviceId }) => serviceId)).toEqual([3]);
  expect(narrow(calendar(), { status: 'WAITLISTED' }).appointments.map(({ id }) => id)).toEqual([4]);
});
