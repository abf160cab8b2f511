import { createFileRoute } from '@tanstack/react-router';
import { ComingSoon } from '@/ui/coming-soon';

export const Route = createFileRoute('/_signed-in/app/patient-management/create')({
  staticData: { title: (t) => t.page.patientCreate, permissions: ['PATIENT.CREATE'] },
  component: () => <ComingSoon page="patientCreate" />,
});
