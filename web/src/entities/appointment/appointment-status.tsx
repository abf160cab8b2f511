import type { MantineColor } from '@mantine/core';
import {
  type Icon,
  IconCalendarCheck,
  IconCalendarX,
  IconCheck,
  IconClockPause,
  IconHourglass,
  IconPhoneCheck,
  IconStethoscope,
  IconUserCheck,
  IconUserX,
} from '@tabler/icons-react';
import { useT } from '@/i18n/provider';
import { StatusBadge } from '@/ui/status-badge';
import type { AppointmentStatus } from './api';

/** The colours of the statuses in all lists, the calendar and the dashboard, in the order of a visit. */
export const STATUS_LOOKS: Record<AppointmentStatus, { icon: Icon; color: MantineColor }> = {
  WAITLISTED: { icon: IconHourglass, color: 'grape' },
  PENDING: { icon: IconClockPause, color: 'orange' },
  BOOKED: { icon: IconCalendarCheck, color: 'blue' },
  CONFIRMED: { icon: IconPhoneCheck, color: 'cyan' },
  CHECKED_IN: { icon: IconUserCheck, color: 'teal' },
  IN_SERVICE: { icon: IconStethoscope, color: 'indigo' },
  COMPLETED: { icon: IconCheck, color: 'green' },
  NO_SHOW: { icon: IconUserX, color: 'red' },
  CANCELLED: { icon: IconCalendarX, color: 'gray' },
};

export const APPOINTMENT_STATUSES = Object.keys(STATUS_LOOKS) as AppointmentStatus[];

/** The status of an appointment: colour, icon and text. */
export function AppointmentStatusBadge({ status }: { status: AppointmentStatus }) {
  const t = useT();
  return <StatusBadge {...STATUS_LOOKS[status]}>{t.appointment.statuses[status]}</StatusBadge>;
}
