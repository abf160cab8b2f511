import { IconCalendarPlus, IconCornerDownLeft } from '@tabler/icons-react';
import { Link, linkOptions } from '@tanstack/react-router';
import { AppointmentStatusBadge } from '@/entities/appointment/appointment-status';
import { PatientLine, patientLink } from '@/entities/patient/patient-line';
import { useServiceName } from '@/entities/service/service-name';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { formatDate, formatTime } from '@/lib/thai-date';
import classes from './quick-search.module.css';
import type { Hit } from './quick-search-sources';

/** The page of a result. */
export const hitLink = (hit: Hit) =>
  hit.kind === 'patient'
    ? patientLink(hit.patient.id)
    : linkOptions({ to: '/app/appointment/$id/edit', params: { id: String(hit.appointment.id) } });

/** The patient of a result. */
const personOf = (hit: Hit) => (hit.kind === 'patient' ? hit.patient : hit.appointment.patient);

export const bookingLink = (hit: Hit) =>
  linkOptions({ to: '/app/appointment/create', search: { patientId: personOf(hit).id } });

interface HitRowProps {
  hit: Hit;
  /** True for the result that Enter opens from the search box. */
  first: boolean;
  mayBook: boolean;
  onFollow: () => void;
}

/** A result: a link to its page, and a link to book. */
export function HitRow({ hit, first, mayBook, onFollow }: HitRowProps) {
  const t = useT();
  const bookFor = t.quickSearch.bookFor(fullName(personOf(hit)));
  return (
    <li className={classes.hit} data-first={first || undefined}>
      <Link {...hitLink(hit)} className={classes.link} preload={false} data-hit onClick={onFollow}>
        {hit.kind === 'patient' ? (
          <PatientLine patient={hit.patient} />
        ) : (
          <AppointmentLine appointment={hit.appointment} />
        )}
        <IconCornerDownLeft size={16} className={classes.enter} aria-hidden />
      </Link>
      {mayBook && (
        <Link
          {...bookingLink(hit)}
          className={classes.book}
          preload={false}
          aria-label={bookFor}
          title={bookFor}
          onClick={onFollow}
        >
          <IconCalendarPlus size={18} aria-hidden />
          <span className={classes.bookText}>{t.quickSearch.book}</span>
        </Link>
      )}
    </li>
  );
}

/** An appointment: patient, service, time and status. */
function AppointmentLine({
  appointment,
}: {
  appointment: Extract<Hit, { kind: 'appointment' }>['appointment'];
}) {
  const { language } = useLanguage();
  const nameOf = useServiceName();
  const { number, patient, service, date, startTime, status } = appointment;
  return (
    <span className="tabular">
      <bdi>{number}</bdi> · {fullName(patient)} · {nameOf(service)} {formatDate(date, language)}{' '}
      {formatTime(startTime, language)} <AppointmentStatusBadge status={status} />
    </span>
  );
}
