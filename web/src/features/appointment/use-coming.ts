import { useQuery } from '@tanstack/react-query';
import { hospitalToday } from '@/lib/thai-date';
import { type Appointment, type AppointmentStatus, appointmentListQuery } from './api';

/** A patient's appointments from today on. */
export interface Coming {
  /** Undefined until they are known. */
  items: Appointment[] | undefined;
  error: unknown;
  retry: () => unknown;
}

const TO_COME: AppointmentStatus[] = ['WAITLISTED', 'PENDING', 'BOOKED', 'CONFIRMED'];
/** With those who are here already: they hold a seat, too. */
export const NOT_OVER: AppointmentStatus[] = [...TO_COME, 'CHECKED_IN', 'IN_SERVICE'];

/** What a patient is booked for, but for one appointment. Of nobody (0) nothing is asked. */
export function useComing(
  patientId: number,
  { statuses = TO_COME, but }: { statuses?: AppointmentStatus[]; but?: number } = {},
): Coming {
  const { data, error, refetch } = useQuery({
    ...appointmentListQuery({ patientId, dateFrom: hospitalToday(), statuses, page: 1, pageSize: 20 }),
    enabled: patientId > 0,
    // What somebody else is booked for must not stand under this patient's name, even for a moment.
    placeholderData: undefined,
  });
  return { items: data?.items.filter(({ id }) => id !== but), error, retry: refetch };
}
