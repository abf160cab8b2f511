/** A focusable item of a grid. */
export interface GridItem {
  /** The index of its column; -1 is the column of row heads. */
  col: number;
  /** Whether it is in a column head. */
  head: boolean;
  /** Its vertical position; items of different columns are beside each other if these are close. */
  top: number;
}

/**
 * nextItem returns the item that a key moves to, or null if the key does not move or there is no item in that
 * direction. Up and Down move within the column, Left and Right to the nearest item of the next column that has any,
 * Home and End to the nearest one of the first or last column, Page Up and Page Down to the first or last item of the
 * column, and Ctrl+Home and Ctrl+End to the first or last item of the grid. `items` are in document order.
 */
export function nextItem<Item extends GridItem>(
  items: readonly Item[],
  from: Item,
  key: string,
  { ctrl = false, rtl = false } = {},
): Item | null {
  const inColumn = (col: number | undefined) => items.filter((item) => item.col === col);
  const cells = (col: number | undefined) => inColumn(col).filter((item) => !item.head);
  const cols = [...new Set(items.map(({ col }) => col))].sort((a, b) => a - b);
  const [first, last] = [cols.find((col) => col >= 0), cols.at(-1)];
  const along = (step: number) => {
    const column = inColumn(from.col);
    return column[column.indexOf(from) + step];
  };
  const nearest = (col: number | undefined) => {
    const distance = (item: Item) => Math.abs(item.top - from.top);
    const candidates = inColumn(col).filter((item) => item.head || !from.head);
    return candidates.length === 0
      ? undefined
      : candidates.reduce((best, item) => (distance(item) < distance(best) ? item : best));
  };
  const beside = (step: number) => nearest(cols[cols.indexOf(from.col) + (rtl ? -step : step)]);
  switch (key) {
    case 'ArrowUp':
      return along(-1) ?? null;
    case 'ArrowDown':
      return along(1) ?? null;
    case 'ArrowLeft':
      return beside(-1) ?? null;
    case 'ArrowRight':
      return beside(1) ?? null;
    case 'Home':
      return (ctrl ? cells(first)[0] : nearest(first)) ?? null;
    case 'End':
      return (ctrl ? cells(last).at(-1) : nearest(last)) ?? null;
    case 'PageUp':
      return cells(from.col)[0] ?? null;
    case 'PageDown':
      return cells(from.col).at(-1) ?? null;
    default:
      return null;
  }
}
