import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute, notFound } from '@tanstack/react-router';
import { appointmentListQuery } from '@/features/appointment/api';
import { PatientSummary } from '@/features/appointment/patient-summary';
import { visitQuery } from '@/features/result/api';
import { ResultPage } from '@/features/result/result-page';
import { hospitalToday } from '@/lib/thai-date';

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
  const { data: others } = useQuery(
    appointmentListQuery({
      patientId: visit.patientId,
      dateFrom: hospitalToday(),
      statuses: ['WAITLISTED', 'PENDING', 'BOOKED', 'CONFIRMED'],
      page: 1,
      pageSize: 20,
    }),
  );
  const coming = others?.items.filter((other) => other.id !== id);
  return <ResultPage key={id} id={id} patient={<PatientSummary id={visit.patientId} coming={coming} />} />;
}
