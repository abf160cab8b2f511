import { Button, Modal, Skeleton, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLanguage, useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { formatDateTime } from '@/lib/thai-date';
import { ErrorAlert } from '@/ui/error-alert';
import layout from '@/ui/layout.module.css';
import { showDone } from '@/ui/toast';
import { goneFrom, keepPlaces, useHeldRows } from '@/ui/use-held-rows';
import { useWrite } from '@/ui/use-write';
import { type Appointment, appointmentKeys, markStatus, waitlistQuery } from './api';
import { type Seat, seatText } from './appointment-text';
import classes from './waitlist-dialog.module.css';

/** A seat that became free, or that a patient on the waiting list waits for. */
export interface FreedSeat extends Seat {
  serviceId: number;
}

export const seatKey = ({ serviceId, date, startTime }: FreedSeat) => `${serviceId} ${date} ${startTime}`;

interface WaitlistDialogProps {
  seats: FreedSeat[];
  opened: boolean;
  onClose: () => void;
}

/** The patients who wait for free seats. Staff assign a seat; it is never assigned automatically. */
export function WaitlistDialog({ seats, opened, onClose }: WaitlistDialogProps) {
  const t = useT();
  const [only] = seats.length === 1 ? seats : [];
  return (
    <Modal opened={opened} onClose={onClose} title={t.appointment.waitlist.title} centered>
      <div className={layout.stack}>
        {seats.map((seat) => (
          <Waitlist key={seatKey(seat)} seat={seat} onGiven={() => only && onClose()} />
        ))}
        <Button variant="default" onClick={onClose}>
          {only ? t.appointment.waitlist.later : t.action.close}
        </Button>
      </div>
    </Modal>
  );
}

function Waitlist({ seat, onGiven }: { seat: FreedSeat; onGiven: () => void }) {
  const t = useT();
  const { language } = useLanguage();
  const words = t.appointment.waitlist;
  const queryClient = useQueryClient();
  const { data, error, refetch } = useQuery(waitlistQuery(seat.serviceId, seat.date, seat.startTime));
  const { rows, ref } = useHeldRows(data ?? [], (shown, fresh) => keepPlaces(shown, fresh, ({ id }) => id));
  const gone = goneFrom(rows, data ?? [], ({ id }) => id);
  const promote = useWrite({
    mutationFn: ({ id, version }: Appointment) => markStatus({ id, version, status: 'BOOKED' }),
    onSuccess: ({ patient }) => {
      showDone(words.promoted(fullName(patient)));
      onGiven();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: appointmentKeys.all }),
  });
  if (error && !data) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={80} />;
  return (
    <div className={layout.stack}>
      <Text size="sm">
        {data.length > 0
          ? words.text(seatText(t, language, seat), data.length)
          : words.gone(seatText(t, language, seat))}
      </Text>
      {promote.error && <ErrorAlert error={promote.error} />}
      <ol className={classes.waitlist} ref={ref} data-hold>
        {rows.map((one) => (
          <li key={one.id} data-gone={gone.has(one.id) || undefined}>
            <div>
              <Text size="sm" fw={500}>
                {fullName(one.patient)}
              </Text>
              <Text size="xs" c="dimmed" className="tabular">
                HN {one.patient.hn} · {words.since(formatDateTime(one.createdAt, language))}
              </Text>
            </div>
            {!gone.has(one.id) && (
              <Button
                size="compact-md"
                flex="none"
                aria-label={words.promoteNamed(fullName(one.patient))}
                loading={promote.isPending && promote.variables?.id === one.id}
                onClick={() => promote.mutate(one)}
              >
                {words.promote}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
