import { createFileRoute } from '@tanstack/react-router';
import { CreateUser } from '@/features/user/create-user';

export const Route = createFileRoute('/_signed-in/app/user-management/create')({
  staticData: { title: (t) => t.page.userCreate, permissions: ['USER.CREATE'] },
  component: CreateUser,
});
