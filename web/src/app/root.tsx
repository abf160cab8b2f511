import { MantineProvider } from '@mantine/core';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type RegisteredRouter, RouterProvider } from '@tanstack/react-router';
import { type ComponentProps, lazy, type ReactNode, Suspense, useMemo } from 'react';
import { I18nProvider, useT } from '@/i18n/provider';
import { retryImport } from '@/lib/retry-import';
import { useIdle } from '@/ui/use-idle';
import { usePrinting } from '@/ui/use-printing';
import { Direction } from './direction';
import { usePressGuard } from './press-guard';
import { useRestoreFocus } from './restore-focus';
import { SettingsProvider, useSettings } from './settings';
import { makeCssVariables, makeTheme } from './theme';

const Toasts = lazy(async () => ({ default: (await retryImport(() => import('./toasts'))).Toasts }));

interface RootProps {
  queryClient: QueryClient;
  router: RegisteredRouter;
  i18n: ComponentProps<typeof I18nProvider>['initial'];
}

export function Root({ queryClient, router, i18n }: RootProps) {
  useRestoreFocus();
  usePressGuard(queryClient.getMutationCache());
  return (
    <QueryClientProvider client={queryClient}>
      <I18nProvider initial={i18n}>
        <SettingsProvider>
          <Theme>
            <LazyToasts />
            <RouterProvider router={router} />
          </Theme>
        </SettingsProvider>
      </I18nProvider>
    </QueryClientProvider>
  );
}

/** Toasts shown before their container is loaded are queued. */
function LazyToasts() {
  const idle = useIdle();
  return (
    idle && (
      <Suspense fallback={null}>
        <Toasts />
      </Suspense>
    )
  );
}

function Theme({ children }: { children: ReactNode }) {
  const t = useT();
  const { settings: chosen } = useSettings();
  // Print in light colours, whatever the scheme on screen.
  const printing = usePrinting();
  const settings = useMemo(
    () => (printing && chosen.dark ? { ...chosen, dark: false } : chosen),
    [printing, chosen],
  );
  const theme = useMemo(() => makeTheme(settings, t), [settings, t]);
  const variables = useMemo(() => makeCssVariables(settings), [settings]);
  return (
    <Direction dir={settings.rtl ? 'rtl' : 'ltr'}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        forceColorScheme={settings.dark ? 'dark' : 'light'}
      >
        {children}
      </MantineProvider>
    </Direction>
  );
}
