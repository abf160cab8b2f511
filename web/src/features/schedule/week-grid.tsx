import { useDirection } from '@mantine/core';
import { IconAlertTriangle, IconHourglass, IconLock, IconPencil } from '@tabler/icons-react';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { useLanguage, useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { formatLongDate, formatTime, weekdayName, weekdayOf } from '@/lib/thai-date';
import classes from './schedule.module.css';
import { type Cell, isIn, type Place, type Selection, stepFrom, type Week, type WeekDay } from './week';

interface WeekGridProps {
  week: Week;
  today: string;
  label: string;
  /** The days of another week still show while these are fetched: nothing can be opened. */
  busy: boolean;
  onOpen: (selection: Selection) => void;
}

/**
 * Days across, start times down. Shift with the arrow keys or dragging with the mouse selects several cells; a head
 * selects its whole day or time. Enter or releasing the mouse opens the selection.
 */
export function WeekGrid({ week, today, label, busy, onOpen }: WeekGridProps) {
  const t = useT();
  const { language } = useLanguage();
  const rtl = useDirection().dir === 'rtl';
  const table = useRef<HTMLTableElement>(null);
  const size = { rows: week.times.length, cols: week.days.length };
  const [focused, setFocused] = useState<Place>(() => ({
    row: 0,
    col: Math.max(
      week.days.findIndex(({ date }) => date === today),
      0,
    ),
  }));
  const [selection, setSelection] = useState<Selection | null>(null);
  /** What the mouse is choosing; the state lags a render behind. */
  const drag = useRef<Selection | null>(null);
  const opened = useRef(false);
  /** Ends what is listened to while the mouse is choosing. */
  const listening = useRef<AbortController>(null);
  useEffect(() => () => listening.current?.abort(), []);
  const here = { row: Math.min(focused.row, size.rows - 1), col: Math.min(focused.col, size.cols - 1) };

  const focusOn = ({ row, col }: Place) =>
    table.current?.querySelector<HTMLElement>(`[data-place="${row} ${col}"]`)?.focus();
  const open = (chosen: Selection) => {
    if (busy) return;
    setSelection(null);
    onOpen(chosen);
  };
  const press = (event: KeyboardEvent) => {
    const next = stepFrom(here, event.key, size, { ctrl: event.ctrlKey || event.metaKey, rtl });
    if (next) {
      event.preventDefault();
      if (event.shiftKey && here.row >= 0 && here.col >= 0) {
        if (next.row < 0 || next.col < 0) return;
        setSelection({ anchor: selection?.anchor ?? here, focus: next });
      } else setSelection(null);
      focusOn(next);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      open(selection ?? { anchor: here, focus: here });
    } else if (event.key === 'Escape' && selection) setSelection(null);
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      setSelection({ anchor: { row: 0, col: 0 }, focus: { row: size.rows - 1, col: size.cols - 1 } });
    }
  };
  const choose = (chosen: Selection) => {
    drag.current = chosen;
    setSelection(chosen);
  };
  const grab = (event: PointerEvent, place: Place) => {
    opened.current = false;
    // A finger scrolls; it chooses by tapping.
    if (event.pointerType !== 'mouse' || event.button !== 0 || busy) return;
    event.preventDefault();
    focusOn(place);
    choose({ anchor: event.shiftKey ? (selection?.anchor ?? here) : place, focus: place });
    listening.current?.abort();
    listening.current = new AbortController();
    const { signal } = listening.current;
    const end = ({ type, pointerId }: globalThis.PointerEvent) => {
      if (pointerId !== event.pointerId) return;
      listening.current?.abort();
      const chosen = drag.current;
      drag.current = null;
      // The system took the mouse away, for a dialog of its own, say: nothing was chosen.
      if (type === 'pointercancel') return setSelection(null);
      opened.current = true;
      if (chosen) open(chosen);
    };
    window.addEventListener('pointerup', end, { signal });
    window.addEventListener('pointercancel', end, { signal });
  };
  const over = (place: Place) => {
    if (drag.current) choose({ anchor: drag.current.anchor, focus: place });
  };
  const placed = (row: number, col: number) => {
    const place = { row, col };
    return {
      'data-place': `${row} ${col}`,
      tabIndex: here.row === row && here.col === col ? 0 : -1,
      'aria-selected': selection !== null && isIn(selection, place, size),
      onFocus: () => setFocused(place),
      onPointerDown: (event: PointerEvent) => grab(event, place),
      onPointerEnter: () => over(place),
      // For touch and screen readers; the mouse has opened it already.
      onClick: () => {
        if (!opened.current) open({ anchor: place, focus: place });
        opened.current = false;
      },
    };
  };
  return (
    <div className={classes.scroller}>
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid of cells is a table that one moves about in.
        role="grid"
        className={classes.grid}
        aria-label={label}
        aria-multiselectable="true"
        aria-busy={busy}
        data-single={size.cols === 1 || undefined}
        onKeyDown={press}
      >
        <thead>
          <tr>
            <td className={classes.corner}>{t.schedule.time}</td>
            {week.days.map((day, col) => (
              <th
                key={day.date}
                scope="col"
                className={classes.day}
                data-today={day.date === today || undefined}
                aria-current={day.date === today ? 'date' : undefined}
                title={t.schedule.wholeDay(formatLongDate(day.date, language))}
                {...placed(-1, col)}
              >
                <DayHead day={day} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {week.times.map((time, row) => (
            <tr key={time}>
              <th
                scope="row"
                className={classes.time}
                title={t.schedule.wholeTime(formatTime(time, language))}
                {...placed(row, -1)}
              >
                <bdi>{time}</bdi>
              </th>
              {week.days.map((day, col) => {
                const cell = day.cells[row];
                if (!cell) return null;
                return (
                  <td
                    key={day.date}
                    className={classes.cell}
                    data-load={cell.load}
                    aria-label={cellLabel(t, cell, formatLongDate(day.date, language))}
                    title={cell.reason || undefined}
                    {...placed(row, col)}
                  >
                    <CellText cell={cell} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
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
        <span className={classes.reason} data-closed={closed || undefined}>
          {closed && <IconLock size={12} aria-hidden />}{' '}
          {closed ? t.schedule.closedFor(reason) : t.schedule.partlyClosed(reason)}
        </span>
      )}
    </>
  );
}

/** How full it is, in a word. */
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
    <span className={classes.cellText}>
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
