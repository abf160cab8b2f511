import { Fragment, type ReactNode, useCallback, useRef, useSyncExternalStore } from 'react';
import classes from './data-table.module.css';
import { type Column, type HeldProps, isOwnClick, type Selection } from './data-table-column';
import { SortButton } from './data-table-sort';
import { usePrinting } from './use-printing';

interface TableRowsProps<Row> extends HeldProps {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => number | string;
  sort: string;
  onSort: (sort: string) => void;
  onRowClick?: (row: Row) => void;
  detail?: (row: Row) => ReactNode;
  selection?: Selection<Row>;
  pinLast?: boolean;
}

/**
 * The rows as a table of plain elements: a component of the kit for each of hundreds of cells would take most of the
 * time that a list needs to open.
 */
export function TableRows<Row>(props: TableRowsProps<Row>) {
  const { label, rows, rowKey, sort, onSort, onRowClick, detail, selection, pinLast, rowsRef, gone } = props;
  const columns = useRoomFor(props.columns);
  const live = rows.filter((row) => !gone.has(rowKey(row)));
  const ticks = useTicks(live, rowKey, selection);
  return (
    <div className={classes.scroll}>
      <table
        className={`tabular ${classes.table}`}
        aria-label={label}
        data-pinned={pinLast || undefined}
        data-acting={columns.at(-1)?.card === 'actions' || undefined}
      >
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={classes.tick}>
                <Tick
                  label={selection.allLabel}
                  checked={ticks.all}
                  some={ticks.some && !ticks.all}
                  onChange={ticks.toggleAll}
                />
              </th>
            )}
            {columns.map(({ key, title, sort: field, width, align, wrapTitle }) => (
              <th
                key={key}
                scope="col"
                data-align={align}
                data-wrap={wrapTitle}
                style={width ? { width, minWidth: width } : undefined}
              >
                {field ? <SortButton field={field} title={title} sort={sort} onChange={onSort} /> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={rowsRef}>
          {rows.map((row) => {
            const more = detail?.(row);
            const isGone = gone.has(rowKey(row));
            return (
              <Fragment key={rowKey(row)}>
                <tr
                  data-clickable={onRowClick ? true : undefined}
                  data-ticked={ticks.has(row) || undefined}
                  data-gone={isGone || undefined}
                  onClick={onRowClick && ((event) => isOwnClick(event) && onRowClick(row))}
                >
                  {selection && (
                    <td className={classes.tick}>
                      {!isGone && (
                        <Tick
                          label={selection.rowLabel(row)}
                          checked={ticks.has(row)}
                          onChange={(range) => ticks.toggle(live.indexOf(row), range)}
                        />
                      )}
                    </td>
                  )}
                  {columns.map(({ key, render, align, ellipsis, card }) => (
                    <td
                      key={key}
                      data-align={align}
                      data-cut={ellipsis}
                      data-hold={card === 'actions' || undefined}
                    >
                      {!(isGone && card === 'actions') && render(row)}
                    </td>
                  ))}
                </tr>
                {more && (
                  <tr className={classes.detail}>
                    <td colSpan={columns.length + (selection ? 1 : 0)}>{more}</td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const wideEnough = (from: string) => matchMedia(`(min-width: ${from}px)`);

/** Prints have the columns of a window of this width, in px: narrow as a tablet, but in smaller letters. */
const PAPER = 1024;

/**
 * The columns that the window is wide enough for. Those of a print are chosen before the browser lays it out: it counts
 * the pages first, and a page that becomes unnecessary afterwards stays empty.
 */
function useRoomFor<Row>(columns: Column<Row>[]): Column<Row>[] {
  const widths = [...new Set(columns.map(({ from = 0 }) => from))].join(' ');
  const watch = useCallback(
    (notify: () => void) => {
      const watched = widths.split(' ').map(wideEnough);
      for (const media of watched) media.addEventListener('change', notify);
      return () => {
        for (const media of watched) media.removeEventListener('change', notify);
      };
    },
    [widths],
  );
  const widest = () =>
    widths
      .split(' ')
      .reduce((most, from) => (wideEnough(from).matches ? Math.max(most, Number(from)) : most), 0);
  const seen = useSyncExternalStore(watch, widest);
  const room = usePrinting() ? PAPER : seen;
  return columns.filter(({ from = 0 }) => from <= room);
}

/** The ticked rows. Shift ticks all rows from the one that was ticked last. */
function useTicks<Row>(rows: Row[], rowKey: (row: Row) => number | string, selection?: Selection<Row>) {
  const last = useRef<number>(null);
  const ticked = new Set(selection?.rows.map(rowKey));
  const has = (row: Row) => ticked.has(rowKey(row));
  const all = rows.every(has);
  const tick = (changed: Row[], on: boolean) => {
    const keys = new Set(changed.map(rowKey));
    const others = selection?.rows.filter((row) => !keys.has(rowKey(row))) ?? [];
    selection?.onChange(on ? [...others, ...changed] : others);
  };
  return {
    has,
    all,
    some: rows.some(has),
    toggleAll: () => {
      last.current = null;
      tick(rows, !all);
    },
    toggle: (index: number, range: boolean) => {
      const [from, to] = [range ? (last.current ?? index) : index, index].sort((a, b) => a - b) as [
        number,
        number,
      ];
      const row = rows[index];
      last.current = index;
      if (row) tick(rows.slice(from, to + 1), !has(row));
    },
  };
}

interface TickProps {
  label: string;
  checked: boolean;
  /** Some, but not all, of its rows are ticked. */
  some?: boolean;
  onChange: (range: boolean) => void;
}

/** A checkbox that looks like the kit's, in a single element. */
function Tick({ label, checked, some = false, onChange }: TickProps) {
  return (
    <input
      type="checkbox"
      className={classes.box}
      aria-label={label}
      checked={checked}
      ref={(input) => {
        if (input) input.indeterminate = some;
      }}
      onChange={({ nativeEvent }) => onChange('shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
    />
  );
}
