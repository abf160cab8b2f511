import { useDirection } from '@mantine/core';
import { IconLock, IconPlus } from '@tabler/icons-react';
import {
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
  startTransition,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { formatLongDate, formatTime, inHospital, weekdayName, weekdayOf } from '@/lib/thai-date';
import { APPOINTMENT_STATUSES, STATUS_LOOKS } from '@/ui/appointment-status';
import type { Appointment } from './api';
import shared from './calendar.module.css';
import { type Block, type Column, levelOf, type SlotGrid } from './calendar-grid';
import classes from './calendar-slots.module.css';
import { STATUS_RULES } from './status-rules';
import { useRoving } from './use-roving';

/** So many people of a slot are shown at once; the others one click away. */
const SHOWN_IN_DAY = 8;
const SHOWN_IN_WEEK = 4;

export interface SlotActions {
  open: (appointment: Appointment) => void;
  book: (block: Block) => void;
  /** Called with where an appointment was dropped. */
  drop: (appointment: Appointment, block: Block) => void;
  openDay: (date: string) => void;
}

interface SlotsProps {
  grid: SlotGrid;
  /** Columns are services; otherwise days. */
  byService: boolean;
  serviceNames: ReadonlyMap<number, { name: string; color: string }>;
  label: string;
  busy: boolean;
  /** One column below the other. */
  stacked: boolean;
  mayBook: boolean;
  mayMove: boolean;
  actions: SlotActions;
}

/**
 * Slots with the people in them: hours down, services or days across. One stop for Tab, arrow keys go about. Drawn once for
 * an answer of the server; what is opened, focused or dragged changes nothing in it.
 */
export const Slots = memo(function Slots(props: SlotsProps) {
  const { grid, byService, label, busy, stacked, mayBook, mayMove, actions } = props;
  const t = useT();
  const rtl = useDirection().dir === 'rtl';
  const box = useRef<HTMLDivElement>(null);
  const dragged = useRef<Appointment | null>(null);
  const onFocus = useRoving(box);
  const { date: today, time } = inHospital(new Date());
  const thisHour = grid.columns.some(({ date }) => date === today) ? time.slice(0, 2) : '';
  // Today begins with the hour that it is; where one has scrolled to since stays.
  useEffect(() => {
    const [scroller, row] = [box.current, box.current?.querySelector<HTMLElement>('tr[data-now]')];
    const head = scroller?.querySelector('thead');
    if (scroller && row && head && label) scroller.scrollTop = row.offsetTop - head.offsetHeight;
  }, [label]);
  const known = useMemo(() => {
    const blocks = new Map<string, Block>();
    const people = new Map<number, Appointment>();
    for (const block of grid.columns.flatMap((column) => column.blocks)) {
      blocks.set(block.key, block);
      for (const one of block.appointments) people.set(one.id, one);
    }
    return { blocks, people };
  }, [grid]);

  const personAt = (target: EventTarget) => known.people.get(Number(attribute(target, 'data-id')));
  const blockAt = (target: EventTarget) => known.blocks.get(attribute(target, 'data-slot'));
  const click = (event: MouseEvent) => {
    const person = personAt(event.target);
    if (person) return actions.open(person);
    const date = attribute(event.target, 'data-day');
    if (date) return actions.openDay(date);
    const block = blockAt(event.target);
    const empty = block?.appointments.length === 0;
    // The whole of an empty slot books it, not only its button.
    if (block && bookable(block, mayBook) && (empty || attribute(event.target, 'data-book')))
      actions.book(block);
  };
  const press = (event: KeyboardEvent) => {
    const next = itemFrom(box.current, event.target, event.key, { rtl, stacked });
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  const mark = (event: DragEvent | null) => {
    const over = event && closest(event.target, '[data-slot]');
    for (const old of box.current?.querySelectorAll('[data-over]') ?? []) {
      if (old !== over) old.removeAttribute('data-over');
    }
    over?.setAttribute('data-over', 'true');
  };
  const drag = {
    onDragStart: (event: DragEvent) => {
      const person = personAt(event.target);
      if (!person) return;
      dragged.current = person;
      event.dataTransfer.effectAllowed = 'move';
      // Firefox drags nothing without data; the name must not travel to other programs.
      event.dataTransfer.setData('text/plain', person.number);
    },
    onDragOver: (event: DragEvent) => {
      const block = dragged.current && blockAt(event.target);
      if (!block || block.state === 'closed' || block.state === 'past' || block.state === 'off')
        return mark(null);
      event.preventDefault();
      mark(event);
    },
    onDragEnd: () => {
      dragged.current = null;
      mark(null);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      const [person, block] = [dragged.current, blockAt(event.target)];
      dragged.current = null;
      mark(null);
      if (person && block && !block.appointments.includes(person)) actions.drop(person, block);
    },
  };
  const shown = byService ? SHOWN_IN_DAY : SHOWN_IN_WEEK;
  const parts = stacked
    ? grid.columns.map(({ key, blocks }) => ({ key, height: heightOf(blocks, shown) }))
    : grid.rows.map(({ hour, cells }) => ({
        key: hour,
        height: Math.max(0, ...cells.map((blocks) => heightOf(blocks, shown))),
      }));
  const near = useNear(box, parts, known.people.size > MANY, thisHour);
  const drawing = { shown, mayBook, mayMove };
  const handlers = { onClick: click, onKeyDown: press, onFocus, ...(mayMove ? drag : {}) };
  if (stacked) {
    return (
      <div ref={box} className={classes.stackedSlots} aria-busy={busy} {...handlers}>
        {grid.columns.map((column) => (
          <section
            key={column.key}
            className={classes.stackedColumn}
            data-closed={column.closed || undefined}
          >
            <h3 className={classes.stackedHead}>
              <ColumnHead column={column} {...props} />
            </h3>
            <div data-part={column.key} data-col={column.key}>
              <Blocks blocks={column.blocks} near={near.has(column.key)} {...drawing} />
            </div>
          </section>
        ))}
      </div>
    );
  }
  return (
    <div ref={box} className={classes.slotScroller} aria-busy={busy} data-scrolls>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table that one moves about in.
        role="grid"
        className={classes.slots}
        aria-label={label}
        style={{ minWidth: `calc(4rem + ${grid.columns.length} * ${byService ? '11rem' : '7rem'})` }}
        {...handlers}
      >
        <thead>
          <tr>
            <td className={classes.corner}>{t.calendar.hour}</td>
            {grid.columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={classes.columnHead}
                data-closed={column.closed || undefined}
                data-today={(!byService && column.date === today) || undefined}
              >
                <ColumnHead column={column} {...props} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {grid.rows.map(({ hour, cells }) => (
            <tr key={hour} data-part={hour} data-now={hour === thisHour || undefined}>
              <th scope="row" className={classes.hour}>
                <bdi>{hour}:00</bdi>
              </th>
              {grid.columns.map((column, index) => (
                <td
                  key={column.key}
                  data-col={column.key}
                  className={classes.slotCell}
                  data-closed={column.closed || undefined}
                >
                  <Blocks blocks={cells[index] ?? []} near={near.has(hour)} {...drawing} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
});

/** More people than these are drawn only where one looks. */
const MANY = 150;
/** What is this close to the part of the page that one sees is drawn, too: it is there before one scrolls to it. */
const MARGIN_PX = 350;
const LINE_PX = 26;

/** How high slots are: a line for each, and for everybody who is shown. */
function heightOf(blocks: Block[], shown: number): number {
  return blocks.reduce((sum, { appointments: { length } }) => {
    const lines = 1 + Math.min(length, shown + 1);
    return sum + lines * LINE_PX + 3;
  }, 4);
}

/** The parts (`data-part`) to draw: all of them where they are few, else those near what one sees. */
function useNear(
  box: RefObject<HTMLElement | null>,
  parts: { key: string; height: number }[],
  many: boolean,
  start: string,
): ReadonlySet<string> {
  const keys = parts.map(({ key }) => key).join(' ');
  const [seen, setSeen] = useState<{ keys: string; near: ReadonlySet<string> } | null>(null);
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const print = (on: boolean) => () => flushSync(() => setPrinting(on));
    const [before, after] = [print(true), print(false)];
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, []);
  useEffect(() => {
    if (!many || !box.current) return;
    const near = new Set<string>();
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const key = target.getAttribute('data-part') ?? '';
          if (isIntersecting) near.add(key);
          else near.delete(key);
        }
        startTransition(() => setSeen({ keys, near: new Set(near) }));
      },
      { root: box.current.matches('[data-scrolls]') ? box.current : null, rootMargin: `${MARGIN_PX}px` },
    );
    for (const part of box.current.querySelectorAll('[data-part]')) watcher.observe(part);
    return () => watcher.disconnect();
  }, [box, keys, many]);
  if (!many || printing) return new Set(parts.map(({ key }) => key));
  if (seen?.keys === keys) return seen.near;
  // Before anybody has looked: what fits below the head.
  const first = Math.max(
    0,
    parts.findIndex(({ key }) => key === start),
  );
  let room = 500;
  return new Set(
    parts.slice(first).flatMap(({ key, height }) => {
      if (room <= 0) return [];
      room -= height;
      return key;
    }),
  );
}

interface BlocksProps {
  blocks: Block[];
  near: boolean;
  shown: number;
  mayBook: boolean;
  mayMove: boolean;
}

/** Slots one below the other, or the room that they take. */
const Blocks = memo(function Blocks({ blocks, near, shown, mayBook, mayMove }: BlocksProps) {
  if (!near) return <div style={{ height: heightOf(blocks, shown) }} />;
  return blocks.map((block) => (
    <SlotBlock key={block.key} block={block} shown={shown} mayBook={mayBook} mayMove={mayMove} />
  ));
});

function closest(target: EventTarget, selector: string): Element | null {
  return target instanceof Element ? target.closest(selector) : null;
}

function attribute(target: EventTarget, name: string): string {
  return closest(target, `[${name}]`)?.getAttribute(name) ?? '';
}

function bookable({ state }: Block, mayBook: boolean): boolean {
  return mayBook && (state === 'free' || state === 'full');
}

/** Where an arrow key leads from an item: along its column, or to the column beside it, to what is nearest there. */
function itemFrom(
  box: HTMLElement | null,
  target: EventTarget,
  key: string,
  { rtl, stacked }: { rtl: boolean; stacked: boolean },
): HTMLElement | null {
  const item = closest(target, '[data-item]');
  if (!box || !item) return null;
  const columns: HTMLElement[][] = [];
  const places = new Map<string, HTMLElement[]>();
  for (const one of box.querySelectorAll<HTMLElement>('[data-item]')) {
    const column = attribute(one, 'data-col');
    const list = places.get(column);
    if (list) list.push(one);
    else {
      const fresh = [one];
      places.set(column, fresh);
      columns.push(fresh);
    }
  }
  const sideways = { ArrowLeft: rtl ? 1 : -1, ArrowRight: rtl ? -1 : 1 }[key];
  const along = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (along !== undefined) {
    const list = stacked ? columns.flat() : (places.get(attribute(item, 'data-col')) ?? []);
    return list[list.indexOf(item as HTMLElement) + along] ?? null;
  }
  const mine = places.get(attribute(item, 'data-col')) ?? [];
  if (key === 'Home') return mine[0] ?? null;
  if (key === 'End') return mine.at(-1) ?? null;
  if (sideways === undefined) return null;
  columns.sort((a, b) => left(a[0]) - left(b[0]));
  const beside = columns[columns.indexOf(mine) + (rtl ? -sideways : sideways)];
  const top = item.getBoundingClientRect().top;
  const distance = (one: HTMLElement) => Math.abs(one.getBoundingClientRect().top - top);
  return beside?.reduce((best, one) => (distance(one) < distance(best) ? one : best)) ?? null;
}

const left = (item: HTMLElement | undefined) => item?.getBoundingClientRect().left ?? 0;

/** A service with its load, or a day with its load and why it is closed. */
function ColumnHead({ column, byService, serviceNames }: SlotsProps & { column: Column }) {
  const t = useT();
  const { language } = useLanguage();
  const { date, closed, reason, booked, capacity } = column;
  const service = serviceNames.get(column.serviceId ?? 0);
  return (
    <>
      {byService ? (
        <span
          className={`${shared.serviceName} ${classes.columnName}`}
          style={{ borderColor: service?.color }}
        >
          {service?.name ?? column.blocks[0]?.appointments[0]?.service.name}
        </span>
      ) : (
        <button
          type="button"
          className={classes.dayLink}
          data-day={date}
          data-item
          data-col={column.key}
          tabIndex={-1}
          aria-label={formatLongDate(date, language)}
          title={t.calendar.openDay}
        >
          {weekdayName(weekdayOf(date), language, true)} {Number(date.slice(8))}
        </button>
      )}
      {closed ? (
        <span className={classes.closedNote}>
          <IconLock size={13} aria-hidden /> {reason ? t.calendar.closedFor(reason) : t.calendar.closed}
        </span>
      ) : (
        reason && <span className={classes.closedNote}>{reason}</span>
      )}
      {(booked > 0 || capacity > 0) && (
        <span className={classes.headLoad} data-level={levelOf(booked, capacity)}>
          <bdi>
            {booked}/{capacity}
          </bdi>{' '}
          {t.calendar.levels[levelOf(booked, capacity)]}
        </span>
      )}
    </>
  );
}

/** The icons of the statuses, drawn once and used by everybody. */
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

interface SlotBlockProps {
  block: Block;
  shown: number;
  mayBook: boolean;
  mayMove: boolean;
}

/** One slot: its time and load, which books it where that can be, and the people in it. */
const SlotBlock = memo(function SlotBlock({ block, shown, mayBook, mayMove }: SlotBlockProps) {
  const t = useT();
  const { language } = useLanguage();
  const [all, setAll] = useState(false);
  const { startTime, state, booked, capacity, appointments, serviceId } = block;
  // One more line tells how many more there are; for a single one that line can be theirs.
  const cut = !all && appointments.length > shown + 1;
  const people = cut ? appointments.slice(0, shown) : appointments;
  const free = Math.max(0, capacity - booked);
  const time = <bdi className={classes.slotTime}>{startTime}</bdi>;
  // An hour of all services is too narrow for words that its numbers say.
  const note =
    state !== 'free' ? t.calendar.slotStates[state] : serviceId === null ? '' : t.calendar.free(free);
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
      data-level={state === 'free' ? levelOf(booked, capacity) : undefined}
    >
      {bookable(block, mayBook) ? (
        <button
          type="button"
          className={classes.slotHead}
          data-book="true"
          data-item
          tabIndex={-1}
          aria-label={t.calendar.bookSlot(formatTime(block.bookTime, language), free)}
        >
          {time} <span className={classes.slotNote}>{note}</span> {load}
          <IconPlus size={13} aria-hidden className={classes.plus} />
        </button>
      ) : (
        <span className={classes.slotHead}>
          {time} <span className={classes.slotNote}>{note}</span> {load}
        </span>
      )}
      {people.length > 0 && (
        <ul className={classes.people}>
          {people.map((one) => (
            <Person key={one.id} appointment={one} hourly={serviceId === null} mayMove={mayMove} />
          ))}
        </ul>
      )}
      {(cut || all) && (
        <button type="button" className={classes.more} data-item tabIndex={-1} onClick={() => setAll(!all)}>
          {cut ? t.calendar.more(appointments.length - people.length) : t.calendar.fewer}
        </button>
      )}
    </div>
  );
});

interface PersonProps {
  appointment: Appointment;
  /** In an hour of several services the time and the service are the person's own. */
  hourly: boolean;
  mayMove: boolean;
}

function Person({ appointment, hourly, mayMove }: PersonProps) {
  const t = useT();
  const { language } = useLanguage();
  const { id, patient, status, startTime, service, priority, queueNo } = appointment;
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
        draggable={(mayMove && STATUS_RULES[status].moves) || undefined}
        style={hourly ? { borderInlineStartColor: service.color } : undefined}
        aria-label={t.calendar.chip(name, formatTime(startTime, language), word)}
        title={hourly ? `${name} · ${service.name} · ${word}` : `${name} · ${word}`}
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
