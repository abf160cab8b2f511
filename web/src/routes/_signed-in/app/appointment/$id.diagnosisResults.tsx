import { useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute, notFound } from '@tanstack/react-router';
import { PatientSummary } from '@/features/appointment/patient-summary';
import { useComing } from '@/features/appointment/use-coming';
import { visitQuery } from '@/features/result/api';
import { ResultPage } from '@/features/result/result-page';

export const Route = createFileRoute('/_signed-in/app/appointment/$id/diagnosisResults')({
  staticData: { title: (t) => t.page.diagnosisResults, permissions: ['RESULT.CREATE'] },
  loader: ({ context, params }) => {
    const id = Number(params.id);
    if (!Number.isSafeInteger(id) || id < 1) throw notFound();
    return context.queryClient.ensureQueryData(visitQuery(id));
  },
  component: Page,
});

function Page() {
  const id = Number(Route.useParams().id);
  const { data: visit } = useSuspenseQuery(visitQuery(id));
  const coming = useComing(visit.patientId, { but: id });
  return <ResultPage key={id} id={id} patient={<PatientSummary id={visit.patientId} coming={coming} />} />;
}
