import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type NavItem, useNav } from '@/app/nav';
import { whenIdle } from '@/ui/use-idle';

const pathsOf = (items: NavItem[]): NavItem['to'][] =>
  items.flatMap(({ to, children }) => (children.length > 0 ? pathsOf(children) : [to]));

/** usePreloadPages loads the code of the menu's pages when the browser is idle, so that a click waits for data only. */
export function usePreloadPages(): void {
  const router = useRouter();
  const paths = pathsOf(useNav()).join(' ');
  useEffect(() => {
    const fetchAll = async () => {
      for (const path of paths.split(' ')) {
        const [routes] = router.getMatchedRoutes(path);
        // A chunk that fails to load is requested again when its page is opened.
        await Promise.allSettled(routes.map((route) => router.loadRouteChunk(route)));
      }
    };
    return whenIdle(() => void fetchAll());
  }, [router, paths]);
}
