import {
  type ComponentProps,
  type DragEvent,
  type MouseEvent,
  memo,
  type RefObject,
  useMemo,
  useRef,
} from 'react';
import type { Appointment } from '@/entities/appointment/api';
import { levelOf } from '@/entities/appointment/load';
import { isOpen } from '@/entities/appointment/slots';
import { useLanguage, useT } from '@/i18n/provider';
import { formatLongDate, inHospital, weekdayName, weekdayOf } from '@/lib/thai-date';
import layout from '@/ui/layout.module.css';
import { GridNote, TimeGrid } from '@/ui/time-grid';
import { useGridFocus } from '@/ui/use-grid-focus';
import { usePrinting } from '@/ui/use-printing';
import shared from './calendar.module.css';
import { type Block, type Column, closedText, type SlotGrid } from './calendar-grid';
import { Blocks, bookable, heightOf, type ServiceNames } from './calendar-slot';
import classes from './calendar-slots.module.css';
import { useVisibleParts } from './use-visible-parts';

/** How many people of a slot are shown at first; a button shows the others. Prints have all. */
const SHOWN_IN_DAY = 8;
const SHOWN_IN_WEEK = 4;
/** With more people than this, only those near the visible area are rendered. */
const MANY = 150;

export interface SlotActions {
  open: (appointment: Appointment) => void;
  book: (block: Block) => void;
  drop: (appointment: Appointment, block: Block) => void;
  openDay: (date: string) => void;
}

/** The nearest ancestor that matches. Elements name what they show in their attributes. */
function closest(target: EventTarget, selector: string): Element | null {
  return target instanceof Element ? target.closest(selector) : null;
}

function attribute(target: EventTarget, name: string): string {
  return closest(target, `[${name}]`)?.getAttribute(name) ?? '';
}

interface SlotsProps {
  grid: SlotGrid;
  /** Columns are services; otherwise days. */
  byService: boolean;
  serviceNames: ServiceNames;
  label: string;
  busy: boolean;
  /** One column below the other, for phones. */
  stacked: boolean;
  mayBook: boolean;
  mayMove: boolean;
  actions: SlotActions;
}

/**
 * Slots with the people in them: hours down, services or days across. It is rendered once per response of the server:
 * opening, focusing and dragging do not render it again.
 */
export const Slots = memo(function Slots(props: SlotsProps) {
  const { grid, byService, label, busy, stacked, mayBook, mayMove, serviceNames, actions } = props;
  const t = useT();
  const box = useRef<HTMLDivElement>(null);
  const dragged = useRef<Appointment | null>(null);
  const { date: today, time } = inHospital(new Date());
  const thisHour = grid.columns.some(({ date }) => date === today) ? time.slice(0, 2) : '';
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
      // Firefox needs data for a drag; other programs must not get the name.
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
  const handlers = { onClick: click, ...(mayMove ? drag : {}) };
  if (stacked) {
    return (
      <StackedColumns ref={box} busy={busy} {...handlers}>
        {grid.columns.map((column) => (
          <section
            key={column.key}
            className={classes.stackedColumn}
            data-closed={column.closed || undefined}
          >
            <h3 className={classes.stackedHead}>
              <ColumnHead column={column} {...props} />
            </h3>
            <div data-part={column.key}>
              <Blocks blocks={column.blocks} near={near.has(column.key)} {...drawing} />
            </div>
          </section>
        ))}
      </StackedColumns>
    );
  }
  return (
    <TimeGrid
      ref={box}
      className={classes.slots}
      label={label}
      busy={busy}
      corner={t.calendar.hour}
      minWidth={`calc(4rem + ${grid.columns.length} * ${byService ? '11rem' : '8rem'})`}
      columns={grid.columns.map((column) => ({
        key: column.key,
        head: <ColumnHead column={column} {...props} />,
        today: !byService && column.date === today,
        closed: column.closed,
      }))}
      rows={grid.rows.map(({ hour }) => ({ key: hour, head: `${hour}:00`, now: hour === thisHour }))}
      cell={({ row, col }) => {
        const { hour = '', cells = [] } = grid.rows[row] ?? {};
        return <Blocks blocks={cells[col] ?? []} near={near.has(hour)} {...drawing} />;
      }}
      {...handlers}
    />
  );
});

interface StackedProps extends ComponentProps<'div'> {
  ref: RefObject<HTMLDivElement | null>;
  busy: boolean;
}

/** The columns one below the other, for phones. */
function StackedColumns({ ref, busy, ...props }: StackedProps) {
  return <div ref={ref} className={classes.stacked} aria-busy={busy} {...props} {...useGridFocus(ref)} />;
}

/** A service or a day with its load and the reason of its closure. */
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
          className={`${layout.plain} ${classes.dayLink}`}
          data-day={date}
          data-item
          tabIndex={-1}
          aria-label={formatLongDate(date, language)}
          title={t.calendar.openDay}
        >
          {weekdayName(weekdayOf(date), language, true)} {Number(date.slice(8))}
        </button>
      )}
      {(closed || reason) && <GridNote closed={closed}>{closedText(t, column)}</GridNote>}
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
