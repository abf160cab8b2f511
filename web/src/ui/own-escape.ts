import type { KeyboardEvent } from 'react';

/** Closes a drawer by Escape, unless that belongs to a dialog over it or to an open list of choices in it. */
export function onOwnEscape(close: () => void) {
  return ({ key, target, currentTarget }: KeyboardEvent<HTMLElement>) => {
    const inside = target instanceof Element && currentTarget.contains(target);
    const taken = inside && target.getAttribute('data-mantine-stop-propagation') === 'true';
    if (key === 'Escape' && inside && !taken) close();
  };
}
