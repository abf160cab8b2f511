import { createFileRoute } from '@tanstack/react-router';
import { ComingSoon } from '@/ui/coming-soon';

export const Route = createFileRoute('/_signed-in/app/appointment/create')({
  staticData: { title: (t) => t.page.appointmentCreate, permissions: ['APPOINTMENT.CREATE'] },
  component: () => <ComingSoon page="appointmentCreate" />,
});
