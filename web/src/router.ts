import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { forgetFailedAttempts } from '@/api/attempts';
import { sessionHandlers } from '@/api/client';
import { removeTokens } from '@/api/token';
import { createPrivateHistory } from '@/app/history';
import { leaveNotice } from '@/app/notice';
import { Pending } from '@/app/pages/pending';
import { RouteError } from '@/app/pages/route-error';
import { withoutTyped } from '@/app/private-search';
import { dropEarlySearch } from '@/app/shell/early-search';
import { hospitalQuery } from '@/entities/hospital/hospital';
import { permissionsQuery } from '@/entities/session/session';
import { retryImport } from '@/lib/retry-import';
import { routeTree } from './routeTree.gen';

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree,
    history: createPrivateHistory(),
    context: { queryClient },
    defaultErrorComponent: RouteError,
    defaultPendingComponent: Pending,
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    // TanStack Query caches the data, so the router needs no cache of its own.
    defaultPreloadStaleTime: 0,
    defaultPreload: 'intent',
    scrollRestoration: true,
  });
  const toBarePage = (to: '/login' | '/app/change-password') => {
    // Several calls may fail at once: the first one redirects, with the address at that time.
    const { pathname, href } = router.latestLocation;
    if (pathname !== to && pathname !== '/login')
      void router.navigate({ to, search: { redirect: withoutTyped(href) } });
  };
  sessionHandlers.lost = () => {
    removeTokens();
    leaveNotice('expired');
    toBarePage('/login');
  };
  sessionHandlers.mustChangePassword = () => toBarePage('/app/change-password');
  sessionHandlers.permissionsChanged = () => void queryClient.invalidateQueries(permissionsQuery);
  router.subscribe('onResolved', ({ fromLocation, toLocation, pathChanged }) => {
    if (pathChanged) forgetFailedAttempts();
    if (!router.state.matches.some(({ routeId }) => routeId === '/_signed-in')) dropEarlySearch();
    // The sign-in page clears the previous user's data. No component that would refetch it is mounted any more.
    if (toLocation.pathname === '/login') {
      // A toast of a page without a session, such as "the password was set", stays.
      if (fromLocation?.pathname.startsWith('/app'))
        void retryImport(() => import('@/app/toasts')).then(({ clearToasts }) => clearToasts());
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== hospitalQuery.queryKey[0] });
    }
  });
  return router;
}

type AppRouter = ReturnType<typeof createAppRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}
