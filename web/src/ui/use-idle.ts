import { useEffect, useState } from 'react';

/** Does something when the browser has nothing else to do; gives what calls it off. Safari has no idle times to tell of. */
export function whenIdle(work: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 200);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work, { timeout: 2000 });
  return () => cancelIdleCallback(handle);
}

/** True from then on: for parts of a screen that nobody reads first, and whose code the first sight need not wait for. */
export function useIdle(): boolean {
  const [idle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  return idle;
}
