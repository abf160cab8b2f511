import { useRef, useState } from 'react';

export interface Dialog<Subject> {
  /** What it is about; kept while it closes, so that its words do not vanish before it does. */
  subject: Subject | null;
  opened: boolean;
  open: (subject: Subject) => void;
  close: () => void;
}

/**
 * A dialog that may be opened from a menu. It gives the focus back to the button that opened it, or that opened its menu;
 * when that has gone to the element whose id `returnTo` names, and when that has gone, too, to the page's content.
 */
export function useDialog<Subject>(returnTo?: (subject: Subject) => string): Dialog<Subject> {
  const [state, setState] = useState<{ subject: Subject | null; opened: boolean }>({
    subject: null,
    opened: false,
  });
  const opener = useRef<Element | null>(null);
  const { subject } = state;
  return {
    ...state,
    open: (about) => {
      opener.current = openerOf(document.activeElement);
      setState({ subject: about, opened: true });
    },
    close: () => {
      setState({ subject, opened: false });
      const from = opener.current;
      // After the dialog has let go of the focus.
      setTimeout(() => {
        if (from instanceof HTMLElement && from.isConnected) from.focus({ preventScroll: true });
        else focusBack(subject && returnTo ? returnTo(subject) : '');
      });
    },
  };
}

/** A menu's item goes with the menu; the button that the menu is labelled by stays. */
function openerOf(focused: Element | null): Element | null {
  const menu = focused?.closest('[role="menu"]');
  if (menu) return document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  return focused === document.body ? null : focused;
}

/** Focuses the element, or the page's content when it has gone. */
export function focusBack(id: string): void {
  const target = document.getElementById(id) ?? document.getElementById('main');
  target?.focus({ preventScroll: true });
}
