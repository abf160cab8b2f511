import { useDirection } from '@mantine/core';
import type { KeyboardEvent, RefObject } from 'react';
import { type GridItem, nextItem } from './grid-movement';
import { useRovingFocus } from './use-roving-focus';

/** A cell of a grid; -1 is the row of column heads, or the column of row heads. */
export interface Place {
  row: number;
  col: number;
}

/** The item that the target of an event is or is in. */
export function itemAt(target: EventTarget): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-item]') : null;
}

/** The place of an element; outside a table all elements are in one column. */
export function placeOf(target: EventTarget): Place {
  const cell = target instanceof Element ? target.closest<HTMLTableCellElement>('td, th') : null;
  const row = cell?.parentElement instanceof HTMLTableRowElement ? cell.parentElement.sectionRowIndex : 0;
  return { row: cell?.closest('thead') ? -1 : row, col: cell ? cell.cellIndex - 1 : 0 };
}

interface FoundItem extends GridItem {
  element: HTMLElement;
}

function itemsIn(box: HTMLElement | null): FoundItem[] {
  return [...(box?.querySelectorAll<HTMLElement>('[data-item]') ?? [])].map((element) => {
    const { row, col } = placeOf(element);
    return {
      element,
      col,
      head: row < 0,
      get top() {
        return element.getBoundingClientRect().top;
      },
    };
  });
}

export interface GridFocusOptions {
  /** Called before the focus moves; false prevents the move. */
  onMove?: (from: Place, to: Place, event: KeyboardEvent) => boolean;
  /** Called for keys that do not move the focus. */
  onKeyDown?: (event: KeyboardEvent) => void;
}

/**
 * useGridFocus gives the items (`data-item`) in the cells of a table, or the cells themselves, one tab stop, and moves
 * the focus between them with the keys of nextItem.
 */
export function useGridFocus(
  box: RefObject<HTMLElement | null>,
  { onMove, onKeyDown }: GridFocusOptions = {},
) {
  const rtl = useDirection().dir === 'rtl';
  const onFocus = useRovingFocus(box);
  const press = (event: KeyboardEvent) => {
    const items = itemsIn(box.current);
    const item = itemAt(event.target);
    const from = items.find(({ element }) => element === item);
    const next = from && nextItem(items, from, event.key, { ctrl: event.ctrlKey || event.metaKey, rtl });
    if (!next) return onKeyDown?.(event);
    event.preventDefault();
    if (onMove?.(placeOf(from.element), placeOf(next.element), event) ?? true) next.element.focus();
  };
  return { onFocus, onKeyDown: press };
}
