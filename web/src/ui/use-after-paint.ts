import { startTransition, useEffect, useState } from 'react';

/**
 * A value that follows another one frame later: what is cheap to draw is on the screen before what is not is begun. React's
 * own deferred value may begin before the browser has painted. With a `first` value what comes with the screen waits, too.
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
