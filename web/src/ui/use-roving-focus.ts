import { type FocusEvent, type RefObject, useEffect } from 'react';

/**
 * useRovingFocus makes one of many items (`data-item`) the tab stop: the one that had the focus last, at first the one
 * rendered with tabIndex 0 or else the first. It changes the attribute directly, without a render.
 */
export function useRovingFocus(box: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const root = box.current;
    if (!root || root.querySelector('[data-item][tabindex="0"]')) return;
    root.querySelector('[data-item]')?.setAttribute('tabindex', '0');
  });
  return (event: FocusEvent) => {
    const item = event.target.closest('[data-item]');
    if (!item) return;
    for (const other of box.current?.querySelectorAll('[data-item][tabindex="0"]') ?? []) {
      if (other !== item) other.setAttribute('tabindex', '-1');
    }
    item.setAttribute('tabindex', '0');
  };
}
