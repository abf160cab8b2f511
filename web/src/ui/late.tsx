import { type Ref, type RefObject, useEffect, useImperativeHandle, useState } from 'react';

/**
 * What opens over the page is made when it is first wanted: nearly all of it stays shut, and each menu or calendar costs as
 * much as a row of a list. It opens a step after it is there: what gives the focus back must be there before it opens.
 */
export function useLate(wanted: boolean): { there: boolean; opened: boolean } {
  const [there, setThere] = useState(wanted);
  const [opened, setOpened] = useState(false);
  if (wanted && !there) setThere(true);
  useEffect(() => setOpened(wanted), [wanted]);
  return { there, opened };
}

interface LentProps {
  target: RefObject<HTMLElement | null>;
  ref?: Ref<HTMLElement | null>;
}

/** Gives what came late a button that stood there before it. */
export function Lent({ target, ref }: LentProps) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => target.current, [target]);
  return null;
}
