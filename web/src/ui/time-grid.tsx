import { IconLock } from '@tabler/icons-react';
import {
  type ComponentProps,
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import classes from './time-grid.module.css';
import { type GridFocusOptions, type Place, useGridFocus } from './use-grid-focus';

interface Line {
  key: string;
  head: ReactNode;
  title?: string;
}

interface Column extends Line {
  today?: boolean;
  closed?: boolean;
}

interface Row extends Line {
  /** The row of the current time; the grid starts scrolled to it. */
  now?: boolean;
}

type CellProps = ComponentProps<'td'> & { [data: `data-${string}`]: string | undefined };

interface TimeGridProps extends Omit<ComponentProps<'table'>, 'ref' | 'onKeyDown'>, GridFocusOptions {
  /** The scroller. */
  ref?: RefObject<HTMLDivElement | null>;
  /** The class of the scroller. */
  className?: string;
  label: string;
  busy: boolean;
  corner: string;
  columns: Column[];
  rows: Row[];
  cell: (place: Place) => ReactNode;
  /** Attributes of a cell; with `focusableCells` also of a head. */
  cellProps?: (place: Place) => CellProps;
  /** Cells and heads are focusable themselves; otherwise the elements in them that are marked `data-item`. */
  focusableCells?: boolean;
  /** In a narrower window the grid scrolls sideways. */
  minWidth?: string;
}

/** A table with times down and days or services across. It has one tab stop; arrow keys move between its items. */
export function TimeGrid({
  ref,
  className = '',
  label,
  busy,
  corner,
  columns,
  rows,
  cell,
  cellProps,
  focusableCells = false,
  minWidth,
  onMove,
  onKeyDown,
  ...table
}: TimeGridProps) {
  const own = useRef<HTMLDivElement>(null);
  const box = ref ?? own;
  const keys = useGridFocus(box, { onMove, onKeyDown });
  const [startCol] = useState(() =>
    Math.max(
      0,
      columns.findIndex(({ today }) => today),
    ),
  );
  // Only for another label: if the same times are fetched again, the scroll position stays.
  useEffect(() => {
    const [scroller, row] = [box.current, box.current?.querySelector<HTMLElement>('tr[data-now]')];
    const head = scroller?.querySelector('thead');
    if (scroller && row && head && label) scroller.scrollTop = row.offsetTop - head.offsetHeight;
  }, [box, label]);
  const propsAt = (place: Place): CellProps => ({
    ...(focusableCells && {
      'data-item': '',
      tabIndex: place.row === 0 && place.col === startCol ? 0 : -1,
    }),
    ...cellProps?.(place),
  });
  const headProps = (row: number, col: number) => (focusableCells ? propsAt({ row, col }) : undefined);
  return (
    <div ref={box} className={`${classes.scroller} ${className}`} data-scrolls>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys move between its cells.
        role="grid"
        className={classes.grid}
        aria-label={label}
        aria-busy={busy}
        style={{ '--grid-width': minWidth } as CSSProperties}
        {...table}
        {...keys}
      >
        <thead>
          <tr>
            <td>{corner}</td>
            {columns.map(({ key, head, title, today, closed }, col) => (
              <th
                key={key}
                scope="col"
                title={title}
                data-today={today || undefined}
                data-closed={closed || undefined}
                aria-current={today ? 'date' : undefined}
                {...headProps(-1, col)}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, head, title, now }, row) => (
            <tr key={key} data-part={key} data-now={now || undefined}>
              <th scope="row" title={title} {...headProps(row, -1)}>
                <bdi>{head}</bdi>
              </th>
              {columns.map((column, col) => (
                <td key={column.key} data-closed={column.closed || undefined} {...propsAt({ row, col })}>
                  {cell({ row, col })}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A note in the head of a column, with a lock if the column is closed. */
export function GridNote({ closed, children }: { closed: boolean; children: ReactNode }) {
  return (
    <span className={classes.note} data-closed={closed || undefined}>
      {closed && <IconLock size={13} aria-hidden />} {children}
    </span>
  );
}
