import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { I18nProvider } from '@/i18n/provider';
import { th } from '@/i18n/th';

/** Renders a component in Thai within the app's providers. */
export function renderInApp(ui: ReactNode) {
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  return render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <I18nProvider initial={{ language: 'th', t: th }}>
        <MantineProvider env="test">
          <RouterContextProvider router={router as never}>{ui}</RouterContextProvider>
        </MantineProvider>
      </I18nProvider>
    </QueryClientProvider>,
  );
}
