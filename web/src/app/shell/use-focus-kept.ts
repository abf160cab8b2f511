import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * A link that leads to another page goes with its own: whoever works with the keyboard goes on at the beginning of the
 * new page, unless that put the focus somewhere itself.
 */
export function useFocusKept(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return;
        requestAnimationFrame(() => {
          if (document.activeElement === document.body)
            document.getElementById('main')?.focus({ preventScroll: true });
        });
      }),
    [router],
  );
}
