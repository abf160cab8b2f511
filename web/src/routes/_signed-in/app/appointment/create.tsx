import { createFileRoute } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { nameFromSearch } from '@/entities/patient/name-from-search';
import { PatientPicker } from '@/entities/patient/patient-picker';
import { PatientQuickForm } from '@/entities/patient/patient-quick-form';
import { BookPage, type PatientParts } from '@/features/appointment/book-page';
import { matching, searchParams } from '@/lib/search-params';
import { isIsoDate } from '@/lib/thai-date';
import { idParam } from '@/ui/table-search';

export const Route = createFileRoute('/_signed-in/app/appointment/create')({
  staticData: { title: (t) => t.page.appointmentCreate, permissions: ['APPOINTMENT.CREATE'] },
  /** What is known already: the patient, from their page or the search; the time, from the calendar; what is followed up. */
  validateSearch: searchParams({
    patientId: idParam,
    serviceId: idParam,
    date: matching(isIsoDate),
    time: matching((text) => /^\d{2}:\d{2}$/.test(text)),
    followUpOfId: idParam,
  }),
  component: Page,
});

function Page() {
  const start = Route.useSearch();
  return <BookPage key={JSON.stringify(start)} start={start} Picker={PatientPicker} QuickForm={QuickForm} />;
}

/** Starts with the name that was searched for. */
function QuickForm({ typed, ...props }: ComponentProps<PatientParts['QuickForm']>) {
  return <PatientQuickForm initial={nameFromSearch(typed) ?? undefined} {...props} />;
}
