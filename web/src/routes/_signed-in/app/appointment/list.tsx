import { createFileRoute } from '@tanstack/react-router';
import { ComingSoon } from '@/ui/coming-soon';

export const Route = createFileRoute('/_signed-in/app/appointment/list')({
  staticData: { title: (t) => t.page.appointmentList },
  component: () => <ComingSoon page="appointmentList" />,
});
