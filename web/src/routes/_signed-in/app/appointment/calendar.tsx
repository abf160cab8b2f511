import { createFileRoute } from '@tanstack/react-router';
import { ComingSoon } from '@/ui/coming-soon';

export const Route = createFileRoute('/_signed-in/app/appointment/calendar')({
  staticData: { title: (t) => t.page.appointmentCalendar },
  component: () => <ComingSoon page="appointmentCalendar" />,
});
