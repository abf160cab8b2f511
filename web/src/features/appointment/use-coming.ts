import { useQuery } from '@tanstack/react-query';
import { hospitalToday } from '@/lib/thai-date';
import { type Appointment, appointmentListQuery, type StatusGroup } from './api';

/** A patient's appointments from today on. */
export interface Coming {
  /** Undefined until they are known. */
  items: Appointment[] | undefined;
  error: unknown;
  retry: () => unknown;
}

/**
 * What a patient is booked for, but for one appointment; with the group OPEN also where they are here already. Of nobody
 * (0) nothing is asked.
 */
export function useComing(
  patientId: number,
  { statusGroup = 'TO_COME', but }: { statusGroup?: StatusGroup; but?: number } = {},
): Coming {
  const { data, error, refetch } = useQuery({
    ...appointmentListQuery({ patientId, dateFrom: hospitalToday(), statusGroup, page: 1, pageSize: 20 }),
    enabled: patientId > 0,
    // What somebody else is booked for must not stand under this patient's name, even for a moment.
    placeholderData: undefined,
  });
  return { items: data?.items.filter(({ id }) => id !== but), error, retry: refetch };
}
