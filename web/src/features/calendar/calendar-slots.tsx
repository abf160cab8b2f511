import { IconLock } from '@tabler/icons-react';
import {
  type CSSProperties,
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  useEffect,
  useMemo,
  useRef,
} from 'react';
import type { Appointment } from '@/entities/appointment/api';
import { isOpen } from '@/entities/appointment/slots';
import { useLanguage, useT } from '@/i18n/provider';
import { formatLongDate, inHospital, weekdayName, weekdayOf } from '@/lib/thai-date';
import { usePrinting } from '@/ui/use-printing';
import shared from './calendar.module.css';
import type { Block, Column, SlotGrid } from './calendar-grid';
import { Blocks, bookable, heightOf, type ServiceNames } from './calendar-slot';
import classes from './calendar-slots.module.css';
import { levelOf } from './day-load';
import { attribute, closest, itemFrom } from './grid-navigation';
import { useRovingFocus } from './use-roving-focus';
import { useVisibleParts } from './use-visible-parts';

/** So many people of a slot are shown at once; the others one click away. Paper, which nobody clicks, has all. */
const SHOWN_IN_DAY = 8;
const SHOWN_IN_WEEK = 4;
/** With more people than this, only those near the visible area are rendered. */
const MANY = 150;

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
  serviceNames: ServiceNames;
  label: string;
  busy: boolean;
  /** One column below the other. */
  stacked: boolean;
  mayBook: boolean;
  mayMove: boolean;
  actions: SlotActions;
}

/**
 * Slots with the people in them: hours down, services or days across. One stop for Tab, arrow keys go about. Drawn once
 * for an answer of the server; what is opened, focused or dragged changes nothing in it.
 */
export const Slots = memo(function Slots(props: SlotsProps) {
  const { grid, byService, label, busy, stacked, mayBook, mayMove, serviceNames, actions } = props;
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const dragged = useRef<Appointment | null>(null);
  const onFocus = useRovingFocus(box);
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
    const next = itemFrom(box.current, event.target, event.key, stacked);
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
      // Whether a slot is too soon depends on the appointment that is dragged. The dialog shows it before the move.
      if (!block || !(isOpen(block) || block.state === 'TOO_SOON')) return mark(null);
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
  const printing = usePrinting();
  const shown = printing ? Number.POSITIVE_INFINITY : byService ? SHOWN_IN_DAY : SHOWN_IN_WEEK;
  const parts = stacked
    ? grid.columns.map(({ key, blocks }) => ({ key, height: heightOf(blocks, shown, stacked) }))
    : grid.rows.map(({ hour, cells }) => ({
        key: hour,
        height: Math.max(0, ...cells.map((blocks) => heightOf(blocks, shown, stacked))),
      }));
  const near = useVisibleParts(box, parts, known.people.size > MANY && !printing, thisHour);
  const drawing = { stacked, shown, mayBook, serviceNames };
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
        style={
          {
            '--slots-width': `calc(4rem + ${grid.columns.length} * ${byService ? '11rem' : '8rem'})`,
          } as CSSProperties
        }
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
