import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/_signed-in/app/appointment')({
  staticData: { title: (t) => t.page.appointments },
});
