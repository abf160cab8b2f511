import { createFileRoute } from '@tanstack/react-router';
import { ComingSoon } from '@/ui/coming-soon';

export const Route = createFileRoute('/_signed-in/app/appointment/$id/diagnosisResults')({
  staticData: { title: (t) => t.page.diagnosisResults, permissions: ['RESULT.CREATE'] },
  component: () => <ComingSoon page="diagnosisResults" />,
});
