import { createFileRoute, Outlet } from '@tanstack/react-router';
import { requireSession } from '@/app/guard';
import { LiveProvider } from '@/app/live';
import { Shell } from '@/app/shell/shell';
import { hospitalQuery } from '@/entities/hospital/hospital';
import { PermissionsProvider } from '@/entities/session/session';

/** All routes below require a session and use the shell. */
export const Route = createFileRoute('/_signed-in')({
  beforeLoad: async ({ context, location }) => {
    void context.queryClient.prefetchQuery(hospitalQuery);
    await requireSession(context.queryClient, location.href);
  },
  component: () => (
    <PermissionsProvider>
      <LiveProvider>
        <Shell>
          <Outlet />
        </Shell>
      </LiveProvider>
    </PermissionsProvider>
  ),
});
