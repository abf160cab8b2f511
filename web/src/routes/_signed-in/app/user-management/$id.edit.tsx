import { createFileRoute, notFound } from '@tanstack/react-router';
import { ApiError } from '@/api/error';
import { userQuery } from '@/features/user/api';
import { EditUser } from '@/features/user/edit-user';

export const Route = createFileRoute('/_signed-in/app/user-management/$id/edit')({
  staticData: { title: (t) => t.page.userEdit, permissions: ['USER.UPDATE'] },
  params: {
    parse: ({ id }) => ({ id: Number(id) }),
    stringify: ({ id }) => ({ id: String(id) }),
  },
  loader: async ({ context, params: { id } }) => {
    if (!Number.isSafeInteger(id) || id < 1) throw notFound();
    try {
      await context.queryClient.ensureQueryData(userQuery(id));
    } catch (error) {
      throw error instanceof ApiError && error.code === 'NOT_FOUND' ? notFound() : error;
    }
  },
  component: () => <EditUser id={Route.useParams().id} />,
});
