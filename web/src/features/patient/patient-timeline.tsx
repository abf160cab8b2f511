import { IconCalendarOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCan } from '@/app/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatDate } from '@/lib/thai-date';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import { type Patient, patientTimelineQuery } from './api';
import { BookLink } from './book-link';
import { fullName } from './search-line';

/** Appointments and results of one patient, the newest first. */
export function PatientTimeline({ patient }: { patient: Patient }) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const { data: entries = [], error, refetch } = useQuery(patientTimelineQuery(patient.id));
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  const name = fullName(patient);
  if (entries.length === 0) {
    return (
      <EmptyState
        icon={IconCalendarOff}
        title={t.patient.noTimeline}
        action={
          can('APPOINTMENT.CREATE') && <BookLink patientId={patient.id}>{t.patient.bookFor(name)}</BookLink>
        }
      >
        {t.patient.noTimelineHint(name)}
      </EmptyState>
    );
  }
  return (
    <ol>
      {entries.map(({ key, date, text }) => (
        <li key={key}>
          <time dateTime={date}>{formatDate(date, language)}</time> {text}
        </li>
      ))}
    </ol>
  );
}
