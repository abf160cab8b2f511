import { createFileRoute, notFound, stripSearchParams } from '@tanstack/react-router';
import { patientQuery } from '@/entities/patient/api';
import { PATIENT_TABS } from '@/features/patient/list-search';
import { PatientPage } from '@/features/patient/patient-page';
import { oneOf, searchParams } from '@/lib/search-params';

const DEFAULTS = { tab: 'data' } as const;

export const Route = createFileRoute('/_signed-in/app/patient-management/$id/edit')({
  // Users who may see patients may open the page; the form requires permission to change them.
  staticData: { title: (t) => t.patient.page, permissions: ['PATIENT.SHOW'] },
  validateSearch: searchParams({ tab: oneOf(PATIENT_TABS, DEFAULTS.tab) }),
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  loader: ({ context, params }) => {
    const id = Number(params.id);
    if (!Number.isSafeInteger(id) || id < 1) throw notFound();
    return context.queryClient.ensureQueryData(patientQuery(id));
  },
  component: Page,
});

function Page() {
  const { tab } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <PatientPage
      id={Number(Route.useParams().id)}
      tab={tab}
      onTab={(next) => void navigate({ search: { tab: next }, replace: true })}
    />
  );
}
