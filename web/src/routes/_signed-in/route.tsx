import { createFileRoute, Outlet } from '@tanstack/react-router';
import { requireSession } from '@/app/guard';
import { hospitalQuery } from '@/app/hospital';
import { LiveProvider } from '@/app/live';
import { PermissionsProvider } from '@/app/session';
import { Shell } from '@/app/shell/shell';

/** Everything below needs a session and stands in the frame. */
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
