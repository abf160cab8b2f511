import { type RefCallback, useCallback, useEffect, useReducer, useRef } from 'react';

/** How long rows keep their places after a tap. Unlike a mouse, a finger never leaves the list. */
const TAP_MS = 5_000;

/** keepPlaces returns the shown rows in their places with fresh data, followed by new rows. */
export function keepPlaces<Row>(
  shown: readonly Row[],
  fresh: readonly Row[],
  keyOf: (row: Row) => number | string,
): Row[] {
  const known = new Map(fresh.map((row) => [keyOf(row), row]));
  const places = new Set(shown.map(keyOf));
  const added = fresh.filter((row) => !places.has(keyOf(row)));
  return [...shown.map((row) => known.get(keyOf(row)) ?? row), ...added];
}

/** goneFrom returns the keys of the shown rows that are no longer in the list. */
export function goneFrom<Row>(
  shown: readonly Row[],
  fresh: readonly Row[],
  keyOf: (row: Row) => number | string,
): ReadonlySet<number | string> {
  const known = new Set(fresh.map(keyOf));
  return new Set(shown.map(keyOf).filter((key) => !known.has(key)));
}

interface Held<Rows> {
  rows: Rows;
  /** For the element that contains the rows. While the mouse is over a `data-hold` element in it, rows do not move. */
  ref: RefCallback<HTMLElement>;
}

/**
 * useHeldRows keeps rows in their places while the user interacts with them, so that the next press hits the intended
 * row: after a press until the mouse leaves the list, the focus leaves the row or the user taps elsewhere, and while
 * the mouse is over the actions of a row. `keep` merges fresh rows into the shown ones. A new address or search text is
 * a different list and is shown at once.
 */
export function useHeldRows<Rows>(fresh: Rows, keep: (shown: Rows, fresh: Rows) => Rows): Held<Rows> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const held = useRef(false);
  const last = useRef({ rows: fresh, address: '' });
  // Every navigation has a key of its own; the search text is not in the address.
  const address = `${window.location.href} ${window.history.state?.__TSR_key}`;
  const rows = held.current && last.current.address === address ? keep(last.current.rows, fresh) : fresh;
  useEffect(() => {
    last.current = { rows, address };
  });
  const ref = useCallback(
    (list: HTMLElement | null) =>
      list
        ? watchHold(list, (now) => {
            held.current = now;
            if (!now) redraw();
          })
        : undefined,
    [],
  );
  return { rows, ref };
}

/** What ends a hold. */
type HoldEnd = 'mouse left actions' | 'mouse left list' | 'tap elsewhere' | 'focus left row';

/** watchHold calls onChange when an interaction with the rows of a list begins and when it ends. */
function watchHold(list: HTMLElement, onChange: (held: boolean) => void): () => void {
  let until: HoldEnd | null = null;
  let row: Element | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let touch = false;
  const release = () => {
    clearTimeout(timer);
    if (until) onChange(false);
    until = null;
  };
  const hold = (next: HoldEnd) => {
    clearTimeout(timer);
    if (!until) onChange(true);
    until = next;
  };
  const onOver = ({ target, pointerType }: PointerEvent) => {
    const onActions = pointerType !== 'touch' && target instanceof Element && target.closest('[data-hold]');
    if (onActions && !until) hold('mouse left actions');
    if (!onActions && until === 'mouse left actions') release();
  };
  const onClick = ({ target, detail }: MouseEvent) => {
    row = target instanceof Element ? target.closest('tr, li') : null;
    hold(detail === 0 ? 'focus left row' : touch ? 'tap elsewhere' : 'mouse left list');
    if (until === 'tap elsewhere') timer = setTimeout(release, TAP_MS);
  };
  /** Compares coordinates: a menu or a dialog above the list does not end the hold. */
  const onMove = ({ clientX, clientY, pointerType }: PointerEvent) => {
    if (pointerType === 'touch' || until === null || until === 'focus left row') return;
    const { left, right, top, bottom } = list.getBoundingClientRect();
    if (clientX < left || clientX > right || clientY < top || clientY > bottom) release();
  };
  const onOut = ({ relatedTarget, pointerType }: PointerEvent) => {
    if (pointerType !== 'touch' && !relatedTarget && until !== 'focus left row') release();
  };
  const onDown = ({ target, pointerType }: PointerEvent) => {
    touch = pointerType === 'touch';
    if (until === 'tap elsewhere' && !list.contains(target as Node)) release();
  };
  const onScroll = () => {
    if (until === 'tap elsewhere') release();
  };
  const onInput = ({ target }: Event) => {
    if (!list.contains(target as Node)) release();
  };
  const onFocus = ({ target }: FocusEvent) => {
    if (until === 'focus left row' && !row?.contains(target as Node)) release();
  };
  const listeners = new AbortController();
  const options = { capture: true, passive: true, signal: listeners.signal };
  list.addEventListener('pointerover', onOver, options);
  list.addEventListener('click', onClick, options);
  window.addEventListener('pointermove', onMove, options);
  window.addEventListener('pointerout', onOut, options);
  window.addEventListener('pointerdown', onDown, options);
  window.addEventListener('scroll', onScroll, options);
  window.addEventListener('input', onInput, options);
  window.addEventListener('focusin', onFocus, options);
  return () => {
    listeners.abort();
    release();
  };
}
