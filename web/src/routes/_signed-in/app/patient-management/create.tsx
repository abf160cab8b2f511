import { createFileRoute } from '@tanstack/react-router';
import { CreatePatient } from '@/features/patient/create-patient';

export const Route = createFileRoute('/_signed-in/app/patient-management/create')({
  staticData: { title: (t) => t.page.patientCreate, permissions: ['PATIENT.CREATE'] },
  component: CreatePatient,
});
