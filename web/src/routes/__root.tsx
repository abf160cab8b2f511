import { createRootRouteWithContext } from '@tanstack/react-router';
import { NotFound } from '@/app/pages/not-found';
import type { RouterContext } from '@/app/router-context';

export const Route = createRootRouteWithContext<RouterContext>()({
  notFoundComponent: () => (
    <main>
      <NotFound headingOrder={1} />
    </main>
  ),
});
