import { useRef, useState } from 'react';

export interface Dialog<Subject> {
  /** What the dialog is about. Retained while it closes, so that its text does not disappear first. */
  subject: Subject | null;
  opened: boolean;
  open: (subject: Subject) => void;
  close: () => void;
}

/**
 * A dialog that may be opened from a menu. On close it focuses the button that opened it or its menu. If that no longer
 * exists, it focuses the element with the id `returnTo`, or else the page's content.
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
      // After the dialog has released the focus.
      setTimeout(() => {
        if (from instanceof HTMLElement && from.isConnected) from.focus({ preventScroll: true });
        else focusBack(subject && returnTo ? returnTo(subject) : '');
      });
    },
  };
}

/** A menu item is removed with its menu, so the button that labels the menu is used. */
function openerOf(focused: Element | null): Element | null {
  const menu = focused?.closest('[role="menu"]');
  if (menu) return document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  return focused === document.body ? null : focused;
}

/** Focuses the element, or the page's content if it does not exist. */
export function focusBack(id: string): void {
  const target = document.getElementById(id) ?? document.getElementById('main');
  target?.focus({ preventScroll: true });
}
