import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/_signed-in/app/user-management')({
  staticData: { title: (t) => t.page.users, permissions: ['SIDEBAR.USERS'] },
});
