import { IconPlus } from '@tabler/icons-react';
import { memo, useState } from 'react';
import type { Appointment } from '@/entities/appointment/api';
import { APPOINTMENT_STATUSES, STATUS_LOOKS } from '@/entities/appointment/appointment-status';
import { levelOf } from '@/entities/appointment/load';
import { isOpen } from '@/entities/appointment/slots';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { formatTime } from '@/lib/thai-date';
import layout from '@/ui/layout.module.css';
import type { Block } from './calendar-grid';
import classes from './calendar-slot.module.css';

/** Names of services in the chosen language, and their colours. */
export type ServiceNames = ReadonlyMap<number, { name: string; color: string }>;

/** The height of a line; stacked columns are for touch. All sizes are those of the style sheet. */
const LINE_PX = { beside: 24, stacked: 40 };
const GAP_PX = 2;
const PADDING_PX = 4;
const BORDER_PX = 1;

/** How many people of a slot are shown at first. A line says how many more there are; a single one is shown instead. */
function firstOf(count: number, shown: number): number {
  return count > shown + 1 ? shown : count;
}

/** The height of rendered slots, reserved before they are, so that scrolling does not jump. */
export function heightOf(blocks: Block[], shown: number, stacked: boolean): number {
  const line = stacked ? LINE_PX.stacked : LINE_PX.beside;
  return blocks.reduce((sum, { appointments: { length } }, index) => {
    const people = firstOf(length, shown);
    const list = people && people * (line + GAP_PX) - GAP_PX;
    const more = people < length ? line : 0;
    return sum + (index && BORDER_PX) + PADDING_PX + line + list + more;
  }, 0);
}

export function bookable(block: Block, mayBook: boolean): boolean {
  return mayBook && isOpen(block);
}

interface BlocksProps {
  blocks: Block[];
  near: boolean;
  stacked: boolean;
  shown: number;
  mayBook: boolean;
  serviceNames: ServiceNames;
}

/** The slots of a cell, or an element of their height if they are far from the visible area. */
export const Blocks = memo(function Blocks({ blocks, near, stacked, ...drawing }: BlocksProps) {
  if (!near) return <div style={{ height: heightOf(blocks, drawing.shown, stacked) }} />;
  return blocks.map((block) => <SlotBlock key={block.key} block={block} {...drawing} />);
});

interface SlotBlockProps {
  block: Block;
  shown: number;
  mayBook: boolean;
  serviceNames: ServiceNames;
}

/** One slot: its time and load, which is a button if it can be booked, and the people in it. */
const SlotBlock = memo(function SlotBlock({ block, shown, mayBook, serviceNames }: SlotBlockProps) {
  const t = useT();
  const { language } = useLanguage();
  const [all, setAll] = useState(false);
  const { startTime, state, booked, capacity, appointments, serviceId } = block;
  const first = firstOf(appointments.length, shown);
  const cut = !all && first < appointments.length;
  const people = cut ? appointments.slice(0, first) : appointments;
  const free = Math.max(0, capacity - booked);
  const time = <bdi className={classes.slotTime}>{startTime}</bdi>;
  // An hour of all services is too narrow for more than its numbers.
  const note =
    state === 'OFF'
      ? t.calendar.offHours
      : state !== 'FREE'
        ? t.appointment.slotStates[state]
        : serviceId === null
          ? ''
          : t.calendar.free(free);
  const load = capacity > 0 && (
    <bdi>
      {booked}/{capacity}
    </bdi>
  );
  return (
    <div
      className={classes.slot}
      data-slot={block.key}
      data-state={state}
      data-level={state === 'FREE' ? levelOf(booked, capacity) : undefined}
    >
      {bookable(block, mayBook) ? (
        <button
          type="button"
          className={`${layout.plain} ${classes.slotHead}`}
          data-book="true"
          data-item
          tabIndex={-1}
          aria-label={t.calendar.bookSlot(formatTime(block.bookTime, language), free)}
        >
          {time} <span className={classes.slotNote}>{note}</span> {load}
          <IconPlus size={13} aria-hidden className={classes.plus} />
        </button>
      ) : (
        <span className={`${layout.plain} ${classes.slotHead}`}>
          {time} <span className={classes.slotNote}>{note}</span> {load}
        </span>
      )}
      {people.length > 0 && (
        <ul className={classes.people}>
          {people.map((one) => (
            <Person key={one.id} appointment={one} hourly={serviceId === null} serviceNames={serviceNames} />
          ))}
        </ul>
      )}
      {(cut || all) && (
        <button
          type="button"
          className={`${layout.plain} ${classes.more}`}
          data-item
          tabIndex={-1}
          onClick={() => setAll(!all)}
        >
          {cut ? t.calendar.more(appointments.length - people.length) : t.calendar.fewer}
        </button>
      )}
    </div>
  );
});

interface PersonProps {
  appointment: Appointment;
  /** In an hour of several services each person is shown with time and service. */
  hourly: boolean;
  serviceNames: ServiceNames;
}

function Person({ appointment, hourly, serviceNames }: PersonProps) {
  const t = useT();
  const { language } = useLanguage();
  const { id, patient, status, startTime, service, priority, queueNo, movable } = appointment;
  const name = fullName(patient);
  const word = t.appointment.statuses[status];
  return (
    <li>
      <button
        type="button"
        className={classes.person}
        data-id={id}
        data-item
        data-status={status}
        tabIndex={-1}
        draggable={movable || undefined}
        style={hourly ? { borderInlineStartColor: service.color } : undefined}
        aria-label={t.calendar.chip(name, formatTime(startTime, language), word)}
        title={
          hourly
            ? `${name} · ${serviceNames.get(service.id)?.name ?? service.name} · ${word}`
            : `${name} · ${word}`
        }
      >
        <svg width={13} height={13} aria-hidden className={classes.statusIcon}>
          <use href={`#calendar-${status}`} />
        </svg>
        {hourly && <bdi className={classes.personTime}>{startTime}</bdi>}
        <span className={classes.personName}>
          {hourly ? `${patient.firstName} ${patient.lastName}` : name}
        </span>
        {queueNo !== null && <bdi className={classes.queue}>{queueNo}</bdi>}
        {priority === 'URGENT' && <span className={classes.urgent}>{t.appointment.urgentMark}</span>}
      </button>
    </li>
  );
}

/** The icons of the statuses, rendered once and referenced by every person. */
export function StatusSprite() {
  return (
    <svg width={0} height={0} aria-hidden className={classes.sprite}>
      {APPOINTMENT_STATUSES.map((status) => {
        const { icon: Icon } = STATUS_LOOKS[status];
        return (
          <symbol key={status} id={`calendar-${status}`} viewBox="0 0 24 24">
            <Icon size={24} stroke={2} />
          </symbol>
        );
      })}
    </svg>
  );
}
