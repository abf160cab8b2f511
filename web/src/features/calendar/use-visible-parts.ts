import { type RefObject, startTransition, useEffect, useState } from 'react';

/** What is this close to the part of the page that one sees is drawn, too: it is there before one scrolls to it. */
const MARGIN_PX = 350;

/** The parts (`data-part`) to draw: all of them where they are few, else those near what one sees. */
export function useVisibleParts(
  box: RefObject<HTMLElement | null>,
  parts: { key: string; height: number }[],
  many: boolean,
  start: string,
): ReadonlySet<string> {
  const keys = parts.map(({ key }) => key).join(' ');
  const [seen, setSeen] = useState<{ keys: string; near: ReadonlySet<string> } | null>(null);
  useEffect(() => {
    if (!many || !box.current) return;
    const near = new Set<string>();
    const watcher = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const key = target.getAttribute('data-part') ?? '';
          if (isIntersecting) near.add(key);
          else near.delete(key);
        }
        startTransition(() => setSeen({ keys, near: new Set(near) }));
      },
      { root: box.current.matches('[data-scrolls]') ? box.current : null, rootMargin: `${MARGIN_PX}px` },
    );
    for (const part of box.current.querySelectorAll('[data-part]')) watcher.observe(part);
    return () => watcher.disconnect();
  }, [box, keys, many]);
  if (!many) return new Set(parts.map(({ key }) => key));
  if (seen?.keys === keys) return seen.near;
  // Before anybody has looked: what fits below the head.
  const first = Math.max(
    0,
    parts.findIndex(({ key }) => key === start),
  );
  let room = 500;
  return new Set(
    parts.slice(first).flatMap(({ key, height }) => {
      if (room <= 0) return [];
      room -= height;
      return key;
    }),
  );
}
