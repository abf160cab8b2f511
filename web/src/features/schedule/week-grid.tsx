import { IconAlertTriangle, IconHourglass, IconLock, IconPencil } from '@tabler/icons-react';
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { useLanguage, useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { formatLongDate, formatTime, weekdayName, weekdayOf } from '@/lib/thai-date';
import { GridNote, TimeGrid } from '@/ui/time-grid';
import { itemAt, type Place, placeOf } from '@/ui/use-grid-focus';
import { type Cell, isIn, type Selection, type Week, type WeekDay } from './week';
import classes from './week-grid.module.css';

interface WeekGridProps {
  week: Week;
  today: string;
  label: string;
  /** The previous days are shown until these are fetched; cells do not open. */
  busy: boolean;
  onOpen: (selection: Selection) => void;
}

const isHead = ({ row, col }: Place) => row < 0 || col < 0;

/**
 * Days across, start times down. Shift with the arrow keys or dragging with the mouse selects several cells; a head
 * selects its whole day or time. Enter or releasing the mouse opens the selection.
 */
export function WeekGrid({ week, today, label, busy, onOpen }: WeekGridProps) {
  const t = useT();
  const { language } = useLanguage();
  const size = { rows: week.times.length, cols: week.days.length };
  const [selection, setSelection] = useState<Selection | null>(null);
  /** The selection while the mouse is down; the state is one render behind. */
  const drag = useRef<Selection | null>(null);
  const opened = useRef(false);
  /** Removes the listeners of the running drag. */
  const listening = useRef<AbortController>(null);
  useEffect(() => () => listening.current?.abort(), []);

  const open = (chosen: Selection) => {
    if (busy) return;
    setSelection(null);
    onOpen(chosen);
  };
  const move = (from: Place, to: Place, { shiftKey }: KeyboardEvent) => {
    if (!shiftKey || isHead(from)) setSelection(null);
    else if (isHead(to)) return false;
    else setSelection({ anchor: selection?.anchor ?? from, focus: to });
    return true;
  };
  const press = (event: KeyboardEvent) => {
    const here = placeOf(event.target);
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      open(selection ?? { anchor: here, focus: here });
    } else if (event.key === 'Escape' && selection) setSelection(null);
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      setSelection({ anchor: { row: 0, col: 0 }, focus: { row: size.rows - 1, col: size.cols - 1 } });
    }
  };
  const select = (chosen: Selection) => {
    drag.current = chosen;
    setSelection(chosen);
  };
  const startDrag = (event: PointerEvent) => {
    opened.current = false;
    const cell = itemAt(event.target);
    // Touch scrolls; it selects by tapping.
    if (!cell || event.pointerType !== 'mouse' || event.button !== 0 || busy) return;
    event.preventDefault();
    const place = placeOf(cell);
    const tabStop = event.currentTarget.querySelector('[tabindex="0"]') ?? cell;
    const from = selection?.anchor ?? placeOf(tabStop);
    cell.focus();
    select({ anchor: event.shiftKey ? from : place, focus: place });
    listening.current?.abort();
    listening.current = new AbortController();
    const { signal } = listening.current;
    const end = ({ type, pointerId }: globalThis.PointerEvent) => {
      if (pointerId !== event.pointerId) return;
      listening.current?.abort();
      const chosen = drag.current;
      drag.current = null;
      // The system has taken the pointer, for example for a dialog of its own.
      if (type === 'pointercancel') return setSelection(null);
      opened.current = true;
      if (chosen) open(chosen);
    };
    window.addEventListener('pointerup', end, { signal });
    window.addEventListener('pointercancel', end, { signal });
  };
  const dragOver = ({ target }: PointerEvent) => {
    if (drag.current && itemAt(target)) select({ anchor: drag.current.anchor, focus: placeOf(target) });
  };
  // For touch and screen readers; the mouse has opened it already.
  const click = ({ target }: MouseEvent) => {
    const place = placeOf(target);
    if (!opened.current && itemAt(target)) open({ anchor: place, focus: place });
    opened.current = false;
  };
  const cellAt = ({ row, col }: Place) => week.days[col]?.cells[row];
  return (
    <TimeGrid
      className={classes.week}
      label={label}
      busy={busy}
      corner={t.schedule.time}
      minWidth={size.cols > 1 ? '46rem' : undefined}
      columns={week.days.map((day) => ({
        key: day.date,
        head: <DayHead day={day} />,
        title: t.schedule.wholeDay(formatLongDate(day.date, language)),
        today: day.date === today,
      }))}
      rows={week.times.map((time) => ({
        key: time,
        head: time,
        title: t.schedule.wholeTime(formatTime(time, language)),
      }))}
      cell={(place) => {
        const cell = cellAt(place);
        return cell && <CellText cell={cell} />;
      }}
      cellProps={(place) => {
        const cell = cellAt(place);
        return {
          'aria-selected': selection !== null && isIn(selection, place, size),
          ...(cell && {
            'data-load': cell.load,
            'aria-label': cellLabel(t, cell, formatLongDate(cell.date, language)),
            title: cell.reason || undefined,
          }),
        };
      }}
      focusableCells
      aria-multiselectable="true"
      onMove={move}
      onKeyDown={press}
      onPointerDown={startDrag}
      onPointerOver={dragOver}
      onClick={click}
    />
  );
}

function DayHead({ day: { date, closed, reason } }: { day: WeekDay }) {
  const t = useT();
  const { language } = useLanguage();
  return (
    <>
      <span className={classes.weekday}>{weekdayName(weekdayOf(date), language, true)}</span>{' '}
      <span className={classes.dayNumber}>{Number(date.slice(8))}</span>
      {reason && (
        <GridNote closed={closed}>
          {closed ? t.schedule.closedFor(reason) : t.schedule.partlyClosed(reason)}
        </GridNote>
      )}
    </>
  );
}

/** The load of a cell in words. */
export function loadText(t: Messages, { load, slot }: Cell): string {
  const { booked = 0, capacity = 0 } = slot ?? {};
  switch (load) {
    case 'free':
      return t.schedule.left(capacity - booked);
    case 'full':
      return capacity === 0 ? t.schedule.takesNone : t.schedule.loads.full;
    case 'over':
      return t.schedule.overBy(booked - capacity);
    default:
      return t.schedule.loads[load];
  }
}

function cellLabel(t: Messages, cell: Cell, day: string): string {
  const { slot, startTime, endTime, load, reason } = cell;
  return [
    `${day} ${startTime}–${endTime}`,
    slot && t.schedule.booked(slot.booked, slot.capacity),
    load === 'closed' && reason ? t.schedule.closedFor(reason) : loadText(t, cell),
    slot?.overridden && t.schedule.overridden,
    slot && slot.waitlisted > 0 && t.schedule.waiting(slot.waitlisted),
  ]
    .filter(Boolean)
    .join(', ');
}

function CellText({ cell }: { cell: Cell }) {
  const t = useT();
  const { slot, load } = cell;
  if (load === 'none') return <span aria-hidden>–</span>;
  return (
    <span className={classes.cell}>
      {slot && (
        <bdi className={classes.numbers}>
          {slot.booked} / {slot.capacity}
        </bdi>
      )}
      <span className={classes.word}>
        {load === 'closed' && <IconLock size={13} aria-hidden />}
        {load === 'over' && <IconAlertTriangle size={13} aria-hidden />}
        {loadText(t, cell)}
      </span>
      {slot?.overridden && (
        <span className={classes.mark} title={t.schedule.overridden}>
          <IconPencil size={13} aria-hidden />
        </span>
      )}
      {slot && slot.waitlisted > 0 && (
        <span className={classes.mark} title={t.schedule.waiting(slot.waitlisted)}>
          <IconHourglass size={13} aria-hidden />
          {slot.waitlisted}
        </span>
      )}
    </span>
  );
}
