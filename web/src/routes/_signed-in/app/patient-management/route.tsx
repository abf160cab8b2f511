import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/_signed-in/app/patient-management')({
  staticData: { title: (t) => t.page.patients, permissions: ['SIDEBAR.PATIENTS'] },
});
