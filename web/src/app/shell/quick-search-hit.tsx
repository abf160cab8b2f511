import { IconCalendarPlus, IconCornerDownLeft } from '@tabler/icons-react';
import { Link, linkOptions } from '@tanstack/react-router';
import { fullName, PatientLine, patientLink } from '@/features/patient/search-line';
import { useT } from '@/i18n/provider';
import classes from './quick-search.module.css';
import type { Hit } from './quick-search-sources';

export const hitLink = ({ patient }: Hit) => patientLink(patient.id);

export const bookingLink = ({ patient }: Hit) =>
  linkOptions({ to: '/app/appointment/create', search: { patientId: patient.id } });

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
  const bookFor = t.quickSearch.bookFor(fullName(hit.patient));
  return (
    <li className={classes.hit} data-first={first || undefined}>
      <Link {...hitLink(hit)} className={classes.link} preload={false} data-hit onClick={onFollow}>
        <PatientLine patient={hit.patient} />
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
