import { createFileRoute } from '@tanstack/react-router';
import { z } from 'zod';
import { ComingSoon } from '@/ui/coming-soon';
import { idParam } from '@/ui/table-search';

export const Route = createFileRoute('/_signed-in/app/appointment/create')({
  staticData: { title: (t) => t.page.appointmentCreate, permissions: ['APPOINTMENT.CREATE'] },
  /** The patient to book for, where one comes from a patient's page or from the search. */
  validateSearch: z.object({ patientId: idParam }),
  component: () => <ComingSoon page="appointmentCreate" />,
});
