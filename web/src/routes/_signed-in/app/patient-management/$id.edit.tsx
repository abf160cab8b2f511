import { createFileRoute } from '@tanstack/react-router';
import { ComingSoon } from '@/ui/coming-soon';

export const Route = createFileRoute('/_signed-in/app/patient-management/$id/edit')({
  staticData: { title: (t) => t.page.patientEdit, permissions: ['PATIENT.UPDATE'] },
  component: () => <ComingSoon page="patientEdit" />,
});
