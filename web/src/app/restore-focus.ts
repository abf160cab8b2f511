import { useEffect } from 'react';

const FOCUSABLE = 'a[href], button, input, select, textarea, [tabindex]';
/** Containers that are searched, from the inside out, for a replacement of a removed element. */
const CONTAINERS = 'td, tr, li, [data-focus-place], [role="dialog"], #main';
/** Menus, dialogs and forms restore the focus themselves within this time. */
const RESTORE_DELAY_MS = 60;
const MAX_STEPS = 8;

interface Step {
  element: HTMLElement;
  places: HTMLElement[];
}

/**
 * useRestoreFocus restores the keyboard focus when its element was disabled or removed: a busy button, a replaced row
 * action, a closed toast. The browser would move the focus to the body without an event. It returns to the same element
 * once that is enabled again, to what took its place, or to the element that had it before.
 */
export function useRestoreFocus(): void {
  useEffect(() => {
    let steps: Step[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onFocusIn = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || target === document.body) return;
      const rest = steps.filter(({ element }) => element !== target);
      steps = [{ element: target, places: placesOf(target) }, ...rest].slice(0, MAX_STEPS);
    };
    /** A click outside, or a closed on-screen keyboard, releases the focus on purpose. */
    const onFocusOut = ({ target, relatedTarget }: FocusEvent) => {
      if (relatedTarget || !(target instanceof HTMLElement) || !isUsable(target)) return;
      setTimeout(() => {
        if (document.activeElement === document.body && isUsable(target)) steps = [];
      });
    };
    const restore = () => {
      timer = undefined;
      if (document.activeElement === document.body) next(steps)?.focus({ preventScroll: true });
    };
    const observer = new MutationObserver(() => {
      if (steps.length > 0 && document.activeElement === document.body)
        timer ??= setTimeout(restore, RESTORE_DELAY_MS);
    });
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    document.addEventListener('focusin', onFocusIn);
    document.addEventListener('focusout', onFocusOut);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('focusin', onFocusIn);
      document.removeEventListener('focusout', onFocusOut);
    };
  }, []);
}

/** Innermost first. */
function placesOf(element: HTMLElement): HTMLElement[] {
  const place = element.parentElement?.closest<HTMLElement>(CONTAINERS);
  return place ? [place, ...placesOf(place)] : [];
}

/** The element to focus, or null while the last one is only disabled. */
function next(steps: Step[]): HTMLElement | null {
  for (const { element, places } of steps) {
    if (element.isConnected && element.matches(':disabled')) return null;
    if (isUsable(element)) return element;
    for (const place of places.filter((one) => one.isConnected)) {
      if (place.matches('[role="dialog"], #main')) return place;
      const replacement = [...place.querySelectorAll<HTMLElement>(FOCUSABLE)].find(isUsable);
      if (replacement) return replacement;
    }
  }
  return document.getElementById('main');
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility();
}
