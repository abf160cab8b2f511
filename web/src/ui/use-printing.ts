import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** True while the page is printed; it is rendered before the browser lays out the pages. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const print = (on: boolean) => () => flushSync(() => setPrinting(on));
    const [before, after] = [print(true), print(false)];
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, []);
  return printing;
}
