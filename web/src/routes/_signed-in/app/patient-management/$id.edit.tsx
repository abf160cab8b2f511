import { createFileRoute, notFound, stripSearchParams } from '@tanstack/react-router';
import { z } from 'zod';
import { patientQuery } from '@/features/patient/api';
import { PATIENT_TABS, PatientPage } from '@/features/patient/patient-page';

const DEFAULTS = { tab: 'data' } as const;

export const Route = createFileRoute('/_signed-in/app/patient-management/$id/edit')({
  // Whoever may see patients may open it; the form is there only for who may change them.
  staticData: { title: (t) => t.patient.page, permissions: ['PATIENT.SHOW'] },
  validateSearch: z.object({ tab: z.enum(PATIENT_TABS).default(DEFAULTS.tab).catch(DEFAULTS.tab) }),
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
