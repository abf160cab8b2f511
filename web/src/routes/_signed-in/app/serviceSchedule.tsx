import { createFileRoute } from '@tanstack/react-router';
import { ComingSoon } from '@/ui/coming-soon';

export const Route = createFileRoute('/_signed-in/app/serviceSchedule')({
  staticData: { title: (t) => t.page.serviceSchedule, permissions: ['SERVICE_SCHEDULE.SHOW'] },
  component: () => <ComingSoon page="serviceSchedule" />,
});
