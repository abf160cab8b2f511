import { createFileRoute, redirect } from '@tanstack/react-router';

export const Route = createFileRoute('/_signed-in/app/')({
  beforeLoad: () => {
    throw redirect({ to: '/app/dashboard', replace: true });
  },
});
