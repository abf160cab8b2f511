import { Button, Group, Text } from '@mantine/core';
import { ApiError } from '@/api/error';
import { useLanguage, useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import layout from '@/ui/layout.module.css';
import { TextLink } from '@/ui/text-link';
import type { Appointment } from './api';
import { type Seat, seatText } from './appointment-text';

interface FreeSeat extends Seat {
  available: number;
}

/** The error of a booking, with the next free seats and a link to the appointment it collides with. */
export function BookingError({ error, onTake }: { error: unknown; onTake: (seat: Seat) => void }) {
  const t = useT();
  const { language } = useLanguage();
  if (error === null) return null;
  const { nextFree = [], appointment } = detailsOf(error);
  return (
    <div className={layout.stack}>
      <ErrorAlert error={error} />
      {appointment && (
        <TextLink
          to="/app/appointment/$id/edit"
          params={{ id: String(appointment.id) }}
          target="_blank"
          size="sm"
        >
          {t.appointment.otherAppointment(appointment.number)}
        </TextLink>
      )}
      {nextFree.length > 0 && (
        <div>
          <Text size="sm" fw={600} mb={4}>
            {t.appointment.nextFree}
          </Text>
          <Group gap="xs">
            {nextFree.map((seat) => (
              <Button
                key={`${seat.date} ${seat.startTime}`}
                variant="default"
                size="compact-md"
                onClick={() => onTake(seat)}
              >
                {t.appointment.takeSeat(seatText(t, language, seat), seat.available)}
              </Button>
            ))}
          </Group>
        </div>
      )}
    </div>
  );
}

function detailsOf(error: unknown): { nextFree?: FreeSeat[]; appointment?: Appointment } {
  return error instanceof ApiError ? (error.details as { nextFree?: FreeSeat[] }) : {};
}
