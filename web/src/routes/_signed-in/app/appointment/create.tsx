import { createFileRoute } from '@tanstack/react-router';
import { BookPage } from '@/features/booking/book-page';
import { matching, searchParams } from '@/lib/search-params';
import { dateParam, idParam } from '@/ui/table-search';

export const Route = createFileRoute('/_signed-in/app/appointment/create')({
  staticData: { title: (t) => t.page.appointmentCreate, permissions: ['APPOINTMENT.CREATE'] },
  /**
   * Values to start from: the patient, from their page or the search; the time, from the calendar; the visit to follow
   * up.
   */
  validateSearch: searchParams({
    patientId: idParam,
    serviceId: idParam,
    date: dateParam,
    time: matching((text) => /^\d{2}:\d{2}$/.test(text)),
    followUpOfId: idParam,
  }),
  component: Page,
});

function Page() {
  const start = Route.useSearch();
  const { patientId, serviceId, date, time, followUpOfId } = start;
  // Another address starts a new booking.
  return <BookPage key={[patientId, serviceId, date, time, followUpOfId].join()} start={start} />;
}
