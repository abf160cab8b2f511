import { useState } from 'react';

export interface Dialog<Subject> {
  /** What it is about; kept while it closes, so that its words do not vanish before it does. */
  subject: Subject | null;
  opened: boolean;
  open: (subject: Subject) => void;
  close: () => void;
}

/**
 * A dialog that may be opened from a menu. The menu's item is gone when the dialog closes, so the focus is taken back to
 * the element with the id that `returnTo` gives, or to the page when that is gone, too.
 */
export function useDialog<Subject>(returnTo?: (subject: Subject) => string): Dialog<Subject> {
  const [state, setState] = useState<{ subject: Subject | null; opened: boolean }>({
    subject: null,
    opened: false,
  });
  return {
    ...state,
    open: (subject) => setState({ subject, opened: true }),
    close: () => {
      setState(({ subject }) => ({ subject, opened: false }));
      const { subject } = state;
      if (returnTo && subject) setTimeout(() => focusBack(returnTo(subject)));
    },
  };
}

/** Focuses the element, or the page's content when it has gone. */
export function focusBack(id: string): void {
  const target = document.getElementById(id) ?? document.getElementById('main');
  target?.focus({ preventScroll: true });
}
