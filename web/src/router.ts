import type { QueryClient } from '@tanstack/react-query';
import { createRouter, stringifySearchWith } from '@tanstack/react-router';
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
import { steadyImport } from '@/lib/steady-import';
import { routeTree } from './routeTree.gen';

const REFUSED = new SyntaxError('a date is no JSON');

/**
 * Whether a text would be read as something else in an address, which the router asks of every text in every link by
 * reading it as JSON. That fails for a date with a new error each time, which took most of a page of links by day.
 */
function readable(text: string): unknown {
  if (/^\d{4}-\d\d/.test(text)) throw REFUSED;
  return JSON.parse(text);
}

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree,
    history: createPrivateHistory(),
    context: { queryClient },
    defaultErrorComponent: RouteError,
    defaultPendingComponent: Pending,
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    // Data is TanStack Query's; the router keeps no second cache of it.
    defaultPreloadStaleTime: 0,
    defaultPreload: 'intent',
    scrollRestoration: true,
    stringifySearch: stringifySearchWith(JSON.stringify, readable),
  });
  const toBarePage = (to: '/login' | '/app/change-password') => {
    // Several calls may fail at once: the first one moves the user, with the address they were at.
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
  router.subscribe('onResolved', ({ toLocation, pathChanged }) => {
    if (pathChanged) forgetFailedAttempts();
    if (!router.state.matches.some(({ routeId }) => routeId === '/_signed-in')) dropEarlySearch();
    // Arriving at the sign-in page forgets what the last user saw; by now no screen is left that would ask again.
    if (toLocation.pathname === '/login') {
      void steadyImport(() => import('@/app/toasts')).then(({ clearToasts }) => clearToasts());
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
