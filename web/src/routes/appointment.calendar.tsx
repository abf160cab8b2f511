import { createFileRoute, redirect } from '@tanstack/react-router';

export const Route = createFileRoute('/appointment/calendar')({
  beforeLoad: () => {
    throw redirect({ to: '/app/appointment/calendar', search: true, replace: true });
  },
});
