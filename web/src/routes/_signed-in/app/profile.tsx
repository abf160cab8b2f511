import { createFileRoute } from '@tanstack/react-router';
import { Profile } from '@/features/access/profile';

export const Route = createFileRoute('/_signed-in/app/profile')({
  staticData: { title: (t) => t.page.profile },
  component: Profile,
});
