import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';
import { type Column, type HeldProps, isOwnClick, type Selection } from './data-table-column';

interface CardListProps<Row> extends HeldProps {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => number | string;
  onRowClick?: (row: Row) => void;
  detail?: (row: Row) => ReactNode;
  selection?: Selection<Row>;
}

/** The rows as cards, for screens too narrow for columns. */
export function CardList<Row>({
  label,
  columns,
  rows,
  rowKey,
  onRowClick,
  detail,
  selection,
  rowsRef,
  gone,
}: CardListProps<Row>) {
  const heading = columns.find((column) => column.card === 'heading');
  const actions = columns.find((column) => column.card === 'actions');
  const lines = columns.filter((column) => !column.card);
  return (
    <ul ref={rowsRef} className={classes.cards} aria-label={label}>
      {rows.map((row) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the card holds a link or a button that does the same.
        <li
          key={rowKey(row)}
          className={classes.card}
          data-clickable={onRowClick ? true : undefined}
          data-gone={gone.has(rowKey(row)) || undefined}
          onClick={onRowClick && ((event) => isOwnClick(event) && onRowClick(row))}
        >
          <div className={classes.cardTop}>
            {selection && !gone.has(rowKey(row)) && (
              <Checkbox
                aria-label={selection.rowLabel(row)}
                checked={selection.rows.some((ticked) => rowKey(ticked) === rowKey(row))}
                onChange={({ currentTarget: { checked } }) =>
                  selection.onChange(
                    checked
                      ? [...selection.rows, row]
                      : selection.rows.filter((ticked) => rowKey(ticked) !== rowKey(row)),
                  )
                }
              />
            )}
            <div className={classes.cardHeading}>{heading?.render(row)}</div>
            {!gone.has(rowKey(row)) && actions?.render(row)}
          </div>
          <dl className={classes.cardLines}>
            {lines.map((column) => (
              <div key={column.key} className={classes.cardLine}>
                <dt>{column.title}</dt>
                <dd>{column.render(row) || '–'}</dd>
              </div>
            ))}
          </dl>
          {detail?.(row)}
        </li>
      ))}
    </ul>
  );
}
