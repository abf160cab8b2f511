import { startTransition, useEffect, useState } from 'react';

/**
 * Returns `value` one frame later: renders the expensive part of a screen after the rest was painted. React's
 * useDeferredValue may start before the browser has painted. With `first`, the initial render is delayed, too.
 */
export function useAfterPaint<Value>(value: Value, first: Value = value): Value {
  const [shown, setShown] = useState(first);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setShown(value)));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [value]);
  return shown;
}
