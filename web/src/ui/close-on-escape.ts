import type { KeyboardEvent } from 'react';

/** Closes a drawer on Escape, unless a dialog above it or an open dropdown in it handles the key. */
export function closeOnEscape(close: () => void) {
  return ({ key, target, currentTarget }: KeyboardEvent<HTMLElement>) => {
    const inside = target instanceof Element && currentTarget.contains(target);
    const taken = inside && target.getAttribute('data-mantine-stop-propagation') === 'true';
    if (key === 'Escape' && inside && !taken) close();
  };
}
