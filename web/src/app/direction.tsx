import { DirectionContext } from '@mantine/core';
import { type ReactNode, useLayoutEffect, useMemo } from 'react';

const noop = () => {};

/** Mantine's DirectionProvider would hold a second copy of the direction; here it comes from the settings. */
export function Direction({ dir, children }: { dir: 'ltr' | 'rtl'; children: ReactNode }) {
  useLayoutEffect(() => {
    document.documentElement.dir = dir;
  }, [dir]);
  const value = useMemo(() => ({ dir, toggleDirection: noop, setDirection: noop }), [dir]);
  return <DirectionContext value={value}>{children}</DirectionContext>;
}
