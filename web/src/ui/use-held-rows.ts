import { type RefCallback, useCallback, useEffect, useReducer, useRef } from 'react';

/** How long rows keep their places after a tap, in ms: a finger does not leave a list as a pointer does. */
const TAP_MS = 5_000;

/** keepPlaces returns the rows in the places where they are shown, as they are now; new ones come after them. */
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

/** goneFrom returns the keys of the shown rows that the list does not have any more. */
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
  /** For the element that holds the rows. Elements with `data-hold` in it hold them while the mouse is over them. */
  ref: RefCallback<HTMLElement>;
}

/**
 * useHeldRows keeps rows where they are while the user works with them, so that the next press meets the row that it is
 * meant for: from a press on one of them until the mouse leaves the list, the focus leaves the row, or a finger touches
 * something else; and while the mouse is over what can be done with them. `keep` puts the fresh rows into the places of
 * those that are shown. Another address, or another search that is typed, is another list and is shown at once.
 */
export function useHeldRows<Rows>(fresh: Rows, keep: (shown: Rows, fresh: Rows) => Rows): Held<Rows> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const held = useRef(false);
  const last = useRef({ rows: fresh, address: '' });
  const address = window.location.href;
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
type Until = 'off the actions' | 'mouse left' | 'touched elsewhere' | 'focus left';

/** watchHold tells when the rows of a list begin to be worked with, and when that is over. */
function watchHold(list: HTMLElement, tell: (held: boolean) => void): () => void {
  let until: Until | null = null;
  let row: Element | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let touch = false;
  const release = () => {
    clearTimeout(timer);
    if (until) tell(false);
    until = null;
  };
  const hold = (next: Until) => {
    clearTimeout(timer);
    if (!until) tell(true);
    until = next;
  };
  const onOver = ({ target, pointerType }: PointerEvent) => {
    const onActions = pointerType !== 'touch' && target instanceof Element && target.closest('[data-hold]');
    if (onActions && !until) hold('off the actions');
    if (!onActions && until === 'off the actions') release();
  };
  const onClick = ({ target, detail }: MouseEvent) => {
    row = target instanceof Element ? target.closest('tr, li') : null;
    hold(detail === 0 ? 'focus left' : touch ? 'touched elsewhere' : 'mouse left');
    if (until === 'touched elsewhere') timer = setTimeout(release, TAP_MS);
  };
  /** By place: a menu or a dialog that lies over the list does not end the work with it. */
  const onMove = ({ clientX, clientY, pointerType }: PointerEvent) => {
    if (pointerType === 'touch' || until === null || until === 'focus left') return;
    const { left, right, top, bottom } = list.getBoundingClientRect();
    if (clientX < left || clientX > right || clientY < top || clientY > bottom) release();
  };
  const onOut = ({ relatedTarget, pointerType }: PointerEvent) => {
    if (pointerType !== 'touch' && !relatedTarget && until !== 'focus left') release();
  };
  const onDown = ({ target, pointerType }: PointerEvent) => {
    touch = pointerType === 'touch';
    if (until === 'touched elsewhere' && !list.contains(target as Node)) release();
  };
  const onScroll = () => {
    if (until === 'touched elsewhere') release();
  };
  const onInput = ({ target }: Event) => {
    if (!list.contains(target as Node)) release();
  };
  const onFocus = ({ target }: FocusEvent) => {
    if (until === 'focus left' && !row?.contains(target as Node)) release();
  };
  const listening = new AbortController();
  const options = { capture: true, passive: true, signal: listening.signal };
  list.addEventListener('pointerover', onOver, options);
  list.addEventListener('click', onClick, options);
  window.addEventListener('pointermove', onMove, options);
  window.addEventListener('pointerout', onOut, options);
  window.addEventListener('pointerdown', onDown, options);
  window.addEventListener('scroll', onScroll, options);
  window.addEventListener('input', onInput, options);
  window.addEventListener('focusin', onFocus, options);
  return () => {
    listening.abort();
    release();
  };
}
