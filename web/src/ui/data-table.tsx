import { Button, Skeleton } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useT } from '@/i18n/provider';
import classes from './data-table.module.css';
import { CardList } from './data-table-cards';
import type { Column, HeldProps, Selection } from './data-table-column';
import { TablePager } from './data-table-pager';
import { TableRows } from './data-table-rows';
import { SortSelect } from './data-table-sort';
import { EmptyState } from './empty-state';
import { ErrorAlert } from './error-alert';
import print from './print.module.css';
import type { TableState } from './table-search';
import { useAfterPaint } from './use-after-paint';
import { goneFrom, keepPlaces, useHeldRows } from './use-held-rows';
import { usePhone } from './use-phone';

/** The result of a TanStack query of a paged list. */
export interface PagedQuery<Row> {
  data: { items: Row[]; total: number } | undefined;
  error: unknown;
  /** The rows are those of the previous query. */
  isPlaceholderData: boolean;
  refetch: () => unknown;
}

interface DataTableProps<Row> {
  /** The accessible name of the list. */
  label: string;
  columns: Column<Row>[];
  query: PagedQuery<Row>;
  rowKey: (row: Row) => number | string;
  state: TableState;
  onChange: (change: Partial<TableState>) => void;
  /** Shown if there are no rows. */
  empty: ReactNode;
  /** With this icon, a later page without rows has a button to the first page instead of `empty`. */
  emptyIcon?: Icon;
  /** For the mouse only: the row must also have a link or a button that does the same. */
  onRowClick?: (row: Row) => void;
  /** The expanded details below a row, or nothing. The row has the button that expands them. */
  detail?: (row: Row) => ReactNode;
  /** The last column stays visible if the table scrolls sideways. */
  pinLast?: boolean;
  /** The ticked rows, for actions on several at once. */
  selection?: Selection<Row>;
}

/**
 * A list that the server sorts and pages. The first load shows skeletons; after that the old rows stay (query with
 * `placeholderData: keepPreviousData`) under a thin bar until others arrive; refetching the same rows shows no bar.
 * Phones get a card per row. Rows keep their places while the user interacts with them (useHeldRows).
 */
export function DataTable<Row>({ query, empty, emptyIcon, ...props }: DataTableProps<Row>) {
  const { data, error, isPlaceholderData, refetch } = query;
  const { rowKey, columns, state, onChange } = props;
  const fresh = data?.items ?? [];
  const { rows, ref } = useHeldRows(fresh, (shown, now) => keepPlaces(shown, now, rowKey));
  if (!data && error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <SkeletonRows />;
  return (
    <div
      className={`${classes.root} ${print.list}`}
      data-actions={columns.at(-1)?.card === 'actions' || undefined}
    >
      {isPlaceholderData && <div className={classes.bar} aria-hidden />}
      {error !== null && <ErrorAlert error={error} onRetry={refetch} />}
      {rows.length === 0 &&
        (emptyIcon && state.page > 1 ? (
          <PageGone icon={emptyIcon} onFirstPage={() => onChange({ page: 1 })} />
        ) : (
          empty
        ))}
      <Filled {...props} items={rows} gone={goneFrom(rows, fresh, rowKey)} rowsRef={ref} total={data.total} />
    </div>
  );
}

/** A page of a list that has become shorter. */
function PageGone({ icon, onFirstPage }: { icon: Icon; onFirstPage: () => void }) {
  const t = useT();
  return (
    <EmptyState
      icon={icon}
      title={t.table.pageGone}
      action={<Button onClick={onFirstPage}>{t.table.firstPage}</Button>}
    />
  );
}

/** About as many rows as fit into a window. */
const FIRST_ROWS = 12;
/** The usual height of a row and of a card, in px. */
const [ROW_HEIGHT, CARD_HEIGHT] = [36, 130];

interface FilledProps<Row> extends Omit<DataTableProps<Row>, 'query' | 'empty' | 'emptyIcon'>, HeldProps {
  items: Row[];
  total: number;
}

/**
 * The rows and the pager. Rows below the first screenful are rendered a frame later, so that the list appears at once.
 * Their height is reserved, so that Back restores the scroll position.
 */
function Filled<Row>({ items, total, state, onChange, ...props }: FilledProps<Row>) {
  const { label, columns, pinLast, ...common } = props;
  const phone = usePhone();
  const painted = useAfterPaint(true, false);
  const whole = painted || items.length <= FIRST_ROWS;
  const rows = whole ? items : items.slice(0, FIRST_ROWS);
  const sortable = columns.filter((column) => column.sort);
  return (
    <>
      {rows.length > 0 && phone && (
        <>
          {sortable.length > 0 && (
            <SortSelect
              columns={sortable}
              sort={state.sort}
              onChange={(sort) => onChange({ sort, page: 1 })}
            />
          )}
          <CardList {...common} label={label} columns={columns} rows={rows} />
        </>
      )}
      {rows.length > 0 && !phone && (
        <TableRows
          {...common}
          label={label}
          columns={columns}
          rows={rows}
          sort={state.sort}
          onSort={(sort) => onChange({ sort, page: 1 })}
          pinLast={pinLast}
        />
      )}
      {!whole && (
        <div style={{ height: (items.length - rows.length + 1) * (phone ? CARD_HEIGHT : ROW_HEIGHT) }} />
      )}
      {whole && total > 0 && <TablePager label={label} total={total} state={state} onChange={onChange} />}
    </>
  );
}

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function SkeletonRows() {
  const t = useT();
  return (
    <div role="status" aria-label={t.app.loading}>
      {SKELETON_ROWS.map((row) => (
        <Skeleton key={row} h={23} my={12} />
      ))}
    </div>
  );
}
