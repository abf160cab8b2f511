import { createFileRoute, notFound } from '@tanstack/react-router';
import { userQuery } from '@/features/user/api';
import { EditUser } from '@/features/user/edit-user';

export const Route = createFileRoute('/_signed-in/app/user-management/$id/edit')({
  staticData: { title: (t) => t.page.userEdit, permissions: ['USER.UPDATE'] },
  params: {
    parse: ({ id }) => ({ id: Number(id) }),
    stringify: ({ id }) => ({ id: String(id) }),
  },
  loader: ({ context, params: { id } }) => {
    if (!Number.isSafeInteger(id) || id < 1) throw notFound();
    return context.queryClient.ensureQueryData(userQuery(id));
  },
  component: () => <EditUser id={Route.useParams().id} />,
});
