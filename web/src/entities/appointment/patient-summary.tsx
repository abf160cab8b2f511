import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Allergies, allergiesOf } from '@/entities/patient/allergies';
import { patientQuery } from '@/entities/patient/api';
import heading from '@/entities/patient/patient-heading.module.css';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatShortAge } from '@/lib/age';
import { fullName } from '@/lib/full-name';
import { formatPhone } from '@/lib/phone';
import { rightName } from '@/lib/right-name';
import { ErrorAlert } from '@/ui/error-alert';
import { FirstFew } from '@/ui/first-few';
import { TextLink } from '@/ui/text-link';
import type { Appointment } from './api';
import { AppointmentStatusBadge } from './appointment-status';
import { appointmentText } from './appointment-text';
import classes from './patient-summary.module.css';
import type { UpcomingAppointments } from './use-upcoming-appointments';

/** More would push the form below the fold. */
const UPCOMING_SHOWN = 3;

interface PatientSummaryProps {
  id: number;
  /** The patient as part of an appointment, for users who may not open the record. */
  known?: Appointment['patient'];
  /** The patient's other upcoming appointments. */
  upcoming: UpcomingAppointments;
  /** Beside the name, such as the button to choose another patient. */
  action?: ReactNode;
}

/** Name, allergies, insurance right and upcoming appointments of a patient. */
export function PatientSummary({ id, known, upcoming, action }: PatientSummaryProps) {
  const t = useT();
  const { language } = useLanguage();
  const mayOpen = useCan()('PATIENT.SHOW') || !known;
  const { data: record, error, refetch } = useQuery({ ...patientQuery(id), enabled: mayOpen });
  const patient = mayOpen ? record : known;
  if (error && !patient) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!patient) return <Skeleton h={72} />;
  const { hn, sex, birthDate, birthPrecision, phone } = patient;
  const name = fullName(patient);
  const details = [
    `HN ${hn}`,
    `${t.patient.sexes[sex]} ${formatShortAge(birthDate, birthPrecision, language)}`,
    phone && formatPhone(phone),
  ].filter(Boolean);
  return (
    <div className={classes.patient}>
      <div className={classes.patientTop}>
        <div>
          {mayOpen ? (
            <TextLink
              to="/app/patient-management/$id/edit"
              params={{ id: String(id) }}
              target="_blank"
              className={heading.patientName}
              aria-label={t.appointment.openPatient(name)}
            >
              {name}
            </TextLink>
          ) : (
            <span className={heading.patientName}>{name}</span>
          )}
          <Text size="sm" component="div" className={`tabular ${heading.line}`}>
            {details.map((detail) => (
              <bdi key={detail}>{detail}</bdi>
            ))}
          </Text>
        </div>
        {action}
      </div>
      <div className={heading.badges}>
        {record && <Allergies {...allergiesOf(record)} />}
        <Text span size="sm">
          {rightName(t, patient.rightCode) || t.patient.noRight}
        </Text>
      </div>
      <UpcomingList upcoming={upcoming} />
    </div>
  );
}

function UpcomingList({ upcoming: { items, error, retry } }: { upcoming: UpcomingAppointments }) {
  const t = useT();
  const { language } = useLanguage();
  const nameOf = useServiceName();
  if (!items && error) return <ErrorAlert error={error} onRetry={retry} />;
  if (!items) return <Skeleton h={20} />;
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t.appointment.noComing}
      </Text>
    );
  }
  return (
    <div>
      <Text size="sm" fw={600}>
        {t.appointment.coming}
      </Text>
      <FirstFew items={items} few={UPCOMING_SHOWN}>
        {(shown) => (
          <ul className={classes.upcoming} aria-label={t.appointment.coming}>
            {shown.map((one) => (
              <li key={one.id}>
                <TextLink
                  to="/app/appointment/$id/edit"
                  params={{ id: String(one.id) }}
                  target="_blank"
                  size="sm"
                  className="tabular"
                >
                  {appointmentText(t, language, nameOf, one)}
                </TextLink>
                <AppointmentStatusBadge status={one.status} />
              </li>
            ))}
          </ul>
        )}
      </FirstFew>
    </div>
  );
}
