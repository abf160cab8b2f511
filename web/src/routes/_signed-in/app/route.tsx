import { createFileRoute } from '@tanstack/react-router';
import { NoAccessError, unmetRequirement } from '@/app/page-meta';
import { NotFound } from '@/app/pages/not-found';
import { permissionsQuery } from '@/entities/session/session';

/** Checks the permissions that a page declares before its loader requests data. */
export const Route = createFileRoute('/_signed-in/app')({
  beforeLoad: async ({ context, matches }) => {
    const held = await context.queryClient.ensureQueryData(permissionsQuery);
    const unmet = unmetRequirement(
      matches.map((match) => match.staticData),
      held,
    );
    if (unmet) throw new NoAccessError(unmet);
  },
  notFoundComponent: () => <NotFound />,
});
