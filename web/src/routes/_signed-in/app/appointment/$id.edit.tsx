import { createFileRoute } from '@tanstack/react-router';
import { ComingSoon } from '@/ui/coming-soon';

export const Route = createFileRoute('/_signed-in/app/appointment/$id/edit')({
  staticData: { title: (t) => t.page.appointmentEdit, permissions: ['APPOINTMENT.UPDATE'] },
  component: () => <ComingSoon page="appointmentEdit" />,
});
