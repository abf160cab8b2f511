import { type RefObject, startTransition, useEffect, useState } from 'react';

/** Parts this close to the visible area are rendered, too, before the user scrolls to them. */
const MARGIN_PX = 350;

/**
 * useVisibleParts returns the parts (`data-part`) to render: all if they are few, otherwise those near the visible
 * area.
 */
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
  // Before the first measurement: the parts that fit below the header.
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
