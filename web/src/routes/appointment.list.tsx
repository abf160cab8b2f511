import { createFileRoute, redirect } from '@tanstack/react-router';

export const Route = createFileRoute('/appointment/list')({
  beforeLoad: () => {
    throw redirect({ to: '/app/appointment/list', search: true, replace: true });
  },
});
