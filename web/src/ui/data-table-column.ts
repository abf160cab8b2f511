import type { ReactNode, RefCallback } from 'react';

export interface Column<Row> {
  key: string;
  /** Also the label of the value in a card. */
  title: string;
  render: (row: Row) => ReactNode;
  /** The server's sort field; without one the column does not sort. */
  sort?: string;
  width?: number | string;
  /** A long title over short values takes two lines. */
  wrapTitle?: boolean;
  align?: 'center' | 'end';
  /** Cuts long text with "…" instead of wrapping it. */
  ellipsis?: boolean;
  /** Screens narrower than this, in px, do not show the column. Cards always do. */
  from?: number;
  /** In a card: its heading, its buttons, or nothing. By default a labelled line. */
  card?: 'heading' | 'actions' | 'none';
}

export interface Selection<Row> {
  rows: Row[];
  onChange: (rows: Row[]) => void;
  /** The accessible names of the checkbox of a row and of that of the page. */
  rowLabel: (row: Row) => string;
  allLabel: string;
}

/** What useHeldRows provides for the rows. */
export interface HeldProps {
  rowsRef: RefCallback<HTMLElement>;
  /** Keys of rows that are still shown but no longer in the list. They have no actions. */
  gone: ReadonlySet<number | string>;
}

/** Buttons and links in a row, and text being selected, are not clicks on the row. */
export function isOwnClick(event: { target: EventTarget }): boolean {
  const inControl =
    event.target instanceof Element && event.target.closest('a, button, input, [role="menuitem"]');
  return !inControl && (getSelection()?.toString() ?? '') === '';
}
