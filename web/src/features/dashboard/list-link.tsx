import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AppointmentStatus } from '@/entities/appointment/api';
import { useCan } from '@/entities/session/session';

/** Which appointments a figure counts. Without days: today. */
export interface Counted {
  from?: string;
  to?: string;
  range?: 'coming';
  status?: AppointmentStatus | 'SEATED' | 'EXPECTED';
  service?: number;
}

interface ListLinkProps {
  counted: Counted;
  className?: string;
  label?: string;
  children: ReactNode;
}

/** A figure that leads to the list it counts, for whoever may see that list. */
export function ListLink({ counted, className, label, children }: ListLinkProps) {
  const can = useCan();
  if (!can('APPOINTMENT.SHOW')) return <span className={className}>{children}</span>;
  return (
    <Link to="/app/appointment/list" search={counted} className={className} aria-label={label}>
      {children}
    </Link>
  );
}

/** The list's address of one day. */
export function onDay(date: string, today: string): Pick<Counted, 'from' | 'to'> {
  return date === today ? {} : { from: date, to: date };
}
