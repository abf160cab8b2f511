import { Alert, Card, Group, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { appointmentQuery } from '@/entities/appointment/api';
import { AppointmentStatusBadge } from '@/entities/appointment/appointment-status';
import { PatientSummary } from '@/entities/appointment/patient-summary';
import { useUpcomingAppointments } from '@/entities/appointment/use-upcoming-appointments';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatLongDate, formatTime } from '@/lib/thai-date';
import { TextLink } from '@/ui/text-link';
import classes from './result.module.css';
import { ResultForm } from './result-form';
import { PastResults, RecordedResults } from './result-list';

/** The results page of an appointment: visit and patient, the form, recorded results, and earlier results beside it. */
export function ResultPage({ id }: { id: number }) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const nameOf = useServiceName();
  const { data: visit } = useSuspenseQuery(appointmentQuery(id));
  const upcoming = useUpcomingAppointments(visit.patientId, { but: id });
  const { number, status, date, startTime, service, staff, reason } = visit;
  const noVisit = status === 'CANCELLED' || status === 'NO_SHOW';
  return (
    <div className={classes.page}>
      <Card withBorder padding="md" component="section" aria-label={t.result.visit}>
        <div className={classes.top}>
          <div>
            <Group gap="xs">
              <Title order={2} className={`tabular ${classes.heading}`}>
                <TextLink to="/app/appointment/$id/edit" params={{ id: String(id) }}>
                  {t.appointment.edit.title(number)}
                </TextLink>
              </Title>
              <AppointmentStatusBadge status={status} />
            </Group>
            <Text size="sm" className="tabular">
              {nameOf(service)} {formatLongDate(date, language)} {formatTime(startTime, language)}
            </Text>
            {staff && <Text size="sm">{staff.name}</Text>}
            {reason && <Text size="sm">{reason}</Text>}
          </div>
          <PatientSummary id={visit.patientId} upcoming={upcoming} />
        </div>
      </Card>
      <div className={classes.columns}>
        <div className={classes.page}>
          {noVisit ? (
            <Alert color="orange">{t.result.refused(t.appointment.statuses[status])}</Alert>
          ) : (
            <ResultForm visit={visit} />
          )}
          {can('RESULT.SHOW') ? (
            <RecordedResults results={visit.results} />
          ) : (
            <Alert color="blue">{t.result.hidden}</Alert>
          )}
        </div>
        {can('RESULT.SHOW') && <PastResults visit={visit} />}
      </div>
    </div>
  );
}
