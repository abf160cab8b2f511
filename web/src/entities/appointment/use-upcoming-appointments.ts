import { useQuery } from '@tanstack/react-query';
import { hospitalToday } from '@/lib/thai-date';
import { type Appointment, appointmentListQuery, type StatusGroup } from './api';

/** A patient's appointments from today on. */
export interface UpcomingAppointments {
  /** Undefined until loaded. */
  items: Appointment[] | undefined;
  error: unknown;
  retry: () => unknown;
}

/**
 * useUpcomingAppointments returns the patient's upcoming appointments except `but`. The group OPEN includes those
 * already checked in. Nothing is fetched for the id 0.
 */
export function useUpcomingAppointments(
  patientId: number,
  { statusGroup = 'TO_COME', but }: { statusGroup?: StatusGroup; but?: number } = {},
): UpcomingAppointments {
  const { data, error, refetch } = useQuery({
    ...appointmentListQuery({ patientId, dateFrom: hospitalToday(), statusGroup, page: 1, pageSize: 20 }),
    enabled: patientId > 0,
    // Appointments of another patient must not be shown under this patient's name, even briefly.
    placeholderData: undefined,
  });
  return { items: data?.items.filter(({ id }) => id !== but), error, retry: refetch };
}
