import { Skeleton, Text } from '@mantine/core';
import { IconCalendarOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { AppointmentStatusBadge } from '@/entities/appointment/appointment-status';
import type { Patient } from '@/entities/patient/api';
import { useServiceName } from '@/entities/service/service-name';
import { NoAccess } from '@/entities/session/no-access';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { formatDate, formatTime } from '@/lib/thai-date';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import { TextLink } from '@/ui/text-link';
import { patientTimelineQuery } from './api';
import { BookLink } from './book-link';
import classes from './patient-page.module.css';

/** Appointments and results of one patient, the newest first. */
export function PatientTimeline({ patient }: { patient: Patient }) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const nameOf = useServiceName();
  const mayLook = can('APPOINTMENT.SHOW');
  const { data, error, refetch } = useQuery({ ...patientTimelineQuery(patient.id), enabled: mayLook });
  // “None” is shown only if the response says so.
  if (!mayLook) return <NoAccess needed={['APPOINTMENT.SHOW']} />;
  if (error && !data) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={160} role="status" aria-label={t.app.loading} />;
  const entries = data.items;
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
    <>
      <ol className={classes.timeline} aria-label={t.patient.tabTimeline}>
        {entries.map(({ id, date, startTime, service, status, resultCount }) => (
          <li key={id}>
            <TextLink
              to="/app/appointment/$id/edit"
              params={{ id: String(id) }}
              size="sm"
              className="tabular"
            >
              <time dateTime={date}>{formatDate(date, language)}</time> {formatTime(startTime, language)}
            </TextLink>
            <span>{nameOf(service)}</span>
            <AppointmentStatusBadge status={status} />
            {resultCount > 0 &&
              (can('RESULT.CREATE') ? (
                <TextLink to="/app/appointment/$id/diagnosisResults" params={{ id: String(id) }} size="sm">
                  {t.result.timeline(resultCount)}
                </TextLink>
              ) : (
                <Text span size="sm">
                  {t.result.timeline(resultCount)}
                </Text>
              ))}
          </li>
        ))}
      </ol>
      {data.total > entries.length && (
        <TextLink to="/app/appointment/list" search={{ patient: patient.id, range: 'all' }} size="sm">
          {t.appointment.timeline.showAll(data.total)}
        </TextLink>
      )}
    </>
  );
}
