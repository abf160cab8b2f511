import { createFileRoute, redirect } from '@tanstack/react-router';

export const Route = createFileRoute('/_signed-in/app/appointment/')({
  beforeLoad: () => {
    throw redirect({ to: '/app/appointment/calendar', replace: true });
  },
});
