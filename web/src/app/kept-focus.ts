import { useEffect } from 'react';

const FOCUSABLE = 'a[href], button, input, select, textarea, [tabindex]';
/** Where something that went is looked for next: what took its place in the cell, in the list, or where the page says so. */
const PLACES = 'td, tr, li, [data-focus-place], [role="dialog"], #main';
/** Menus, dialogs and forms give the focus back by themselves, a moment later. */
const OWN_WAY_MS = 60;
const REMEMBERED = 8;

interface Step {
  element: HTMLElement;
  places: HTMLElement[];
}

/**
 * Who works without a mouse never loses the place. A button that is pressed is busy, and disabled, for a while; a row's
 * next step replaces the last one; a toast goes with its "undo". The browser then drops the focus to the page's beginning,
 * and says nothing. Here it comes back: to the same element when it can be used again, to what took its place, or to where
 * it was before.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let steps: Step[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement) || target === document.body) return;
      const rest = steps.filter(({ element }) => element !== target);
      steps = [{ element: target, places: placesOf(target) }, ...rest].slice(0, REMEMBERED);
    };
    /** A click beside everything, or a phone's keyboard that is put away: what could have kept the focus was let go of. */
    const letGo = ({ target, relatedTarget }: FocusEvent) => {
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
        timer ??= setTimeout(restore, OWN_WAY_MS);
    });
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    document.addEventListener('focusin', remember);
    document.addEventListener('focusout', letGo);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('focusout', letGo);
    };
  }, []);
}

/** Innermost first. */
function placesOf(element: HTMLElement): HTMLElement[] {
  const place = element.parentElement?.closest<HTMLElement>(PLACES);
  return place ? [place, ...placesOf(place)] : [];
}

/** Where the focus belongs; nothing while what had it is only busy. */
function next(steps: Step[]): HTMLElement | null {
  for (const { element, places } of steps) {
    if (element.isConnected && element.matches(':disabled')) return null;
    if (isUsable(element)) return element;
    for (const place of places.filter((one) => one.isConnected)) {
      if (place.matches('[role="dialog"], #main')) return place;
      const instead = [...place.querySelectorAll<HTMLElement>(FOCUSABLE)].find(isUsable);
      if (instead) return instead;
    }
  }
  return document.getElementById('main');
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled') && element.checkVisibility();
}
