import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { vi } from 'vitest';
import type { Permission } from '@/api/client';
import { PermissionsProvider, permissionsQuery } from '@/entities/session/session';
import { I18nProvider } from '@/i18n/provider';
import { th } from '@/i18n/th';
import type { searchParams } from '@/lib/search-params';

interface PageOptions {
  /** The address, and the page's path in the app. */
  at: string;
  path: `/app/${string}`;
  search?: ReturnType<typeof searchParams>;
  component: () => ReactNode;
  permissions: Permission[];
  /** The data or response of each call, by the end of its path. */
  answers: Record<string, (body: unknown) => unknown>;
}

/** Renders one page of the app in Thai, for a user with these permissions. All other routes are empty. */
export function renderPage({ at, path, search, component, permissions, answers }: PageOptions) {
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname } = new URL(request.url);
    const answer = Object.entries(answers).find(([end]) => pathname.endsWith(end))?.[1];
    const body: unknown = request.method === 'POST' ? await request.json() : undefined;
    request.signal.throwIfAborted();
    const data = await answer?.(body);
    return data instanceof Response ? data : Response.json({ success: true, data: data ?? {} });
  });
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queryClient.setQueryData(permissionsQuery.queryKey, permissions);
  const root = createRootRoute();
  const signedIn = createRoute({ getParentRoute: () => root, id: '_signed-in' });
  const page = createRoute({ getParentRoute: () => signedIn, path, component, validateSearch: search });
  const elsewhere = createRoute({ getParentRoute: () => root, path: '$', component: () => null });
  const router = createRouter({
    routeTree: root.addChildren([signedIn.addChildren([page]), elsewhere]),
    history: createMemoryHistory({ initialEntries: [at] }),
  });
  render(
    <QueryClientProvider client={queryClient}>
      <I18nProvider initial={{ language: 'th', t: th }}>
        <MantineProvider env="test">
          <PermissionsProvider>
            <RouterProvider router={router as never} />
          </PermissionsProvider>
        </MantineProvider>
      </I18nProvider>
    </QueryClientProvider>,
  );
  return router;
}
