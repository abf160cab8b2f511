import { type FocusEvent, type RefObject, useEffect } from 'react';

/**
 * One stop for Tab among many items (`data-item`), the one that had the focus last; at first the one that is drawn with
 * tabIndex 0, or else the first. The stop moves without drawing anything again.
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
