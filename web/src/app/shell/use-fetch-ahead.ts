import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type NavItem, useNav } from '@/app/nav';
import { whenIdle } from '@/ui/use-idle';

const pathsOf = (items: NavItem[]): NavItem['to'][] =>
  items.flatMap(({ to, children }) => (children.length > 0 ? pathsOf(children) : [to]));

/** Fetches the pages of the menu when the browser has nothing else to do: a click then waits for data only. */
export function useFetchAhead(): void {
  const router = useRouter();
  const paths = pathsOf(useNav()).join(' ');
  useEffect(() => {
    const fetchAll = async () => {
      for (const path of paths.split(' ')) {
        const [routes] = router.getMatchedRoutes(path);
        // One that cannot be had now is asked for again when its page is opened.
        await Promise.allSettled(routes.map((route) => router.loadRouteChunk(route)));
      }
    };
    return whenIdle(() => void fetchAll());
  }, [router, paths]);
}
