import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AppointmentStatus } from '@/entities/appointment/api';
import { useCan } from '@/entities/session/session';

/** The appointments that a figure counts; today's by default. */
export interface ListFilter {
  from?: string;
  to?: string;
  range?: 'coming';
  status?: AppointmentStatus | 'SEATED' | 'EXPECTED';
  service?: number;
}

interface ListLinkProps {
  filter: ListFilter;
  className?: string;
  label?: string;
  children: ReactNode;
}

/** A figure that links to the list it counts, if the user may see that list. */
export function ListLink({ filter, className, label, children }: ListLinkProps) {
  const can = useCan();
  if (!can('APPOINTMENT.SHOW')) return <span className={className}>{children}</span>;
  return (
    <Link to="/app/appointment/list" search={filter} className={className} aria-label={label}>
      {children}
    </Link>
  );
}

/** The list's search parameters for one day. */
export function onDay(date: string, today: string): Pick<ListFilter, 'from' | 'to'> {
  return date === today ? {} : { from: date, to: date };
}
