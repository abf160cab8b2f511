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

/** The page of what was found. */
export const hitLink = (hit: Hit) =>
  hit.kind === 'patient'
    ? patientLink(hit.patient.id)
    : linkOptions({ to: '/app/appointment/$id/edit', params: { id: String(hit.appointment.id) } });

/** Whom it is about. */
const personOf = (hit: Hit) => (hit.kind === 'patient' ? hit.patient : hit.appointment.patient);

export const bookingLink = (hit: Hit) =>
  linkOptions({ to: '/app/appointment/create', search: { patientId: personOf(hit).id } });

interface HitRowProps {
  hit: Hit;
  /** What Enter opens while one is still typing. */
  first: boolean;
  mayBook: boolean;
  onFollow: () => void;
}

/** A result: the link to its page, and beside it the one that books. */
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

/** An appointment by its number: whose, what for, when, how far. */
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
