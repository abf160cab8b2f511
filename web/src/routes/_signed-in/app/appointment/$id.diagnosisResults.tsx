import { createFileRoute, notFound } from '@tanstack/react-router';
import { appointmentQuery } from '@/entities/appointment/api';
import { ResultPage } from '@/features/result/result-page';

export const Route = createFileRoute('/_signed-in/app/appointment/$id/diagnosisResults')({
  staticData: { title: (t) => t.page.diagnosisResults, permissions: ['RESULT.CREATE'] },
  loader: ({ context, params }) => {
    const id = Number(params.id);
    if (!Number.isSafeInteger(id) || id < 1) throw notFound();
    return context.queryClient.ensureQueryData(appointmentQuery(id));
  },
  component: Page,
});

function Page() {
  const id = Number(Route.useParams().id);
  return <ResultPage key={id} id={id} />;
}
