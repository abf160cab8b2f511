import { createFileRoute } from '@tanstack/react-router';
import { ComingSoon } from '@/ui/coming-soon';

export const Route = createFileRoute('/_signed-in/app/dashboard')({
  staticData: { title: (t) => t.page.dashboard },
  component: () => <ComingSoon page="dashboard" action={null} />,
});
