import { Alert, Button, Card, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Ref } from 'react';
import type { Appointment } from '@/entities/appointment/api';
import { appointmentText, type Seat, seatText } from '@/entities/appointment/appointment-text';
import { BookingError } from '@/entities/appointment/booking-error';
import { besides, firstFree } from '@/entities/appointment/slots';
import { useServiceName } from '@/entities/service/service-name';
import { useLanguage, useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { useKeyboard } from '@/ui/use-keyboard';
import classes from './booking.module.css';
import { BookingActionChanged } from './booking-action-changed';
import type { BookingStep } from './booking-machine';
import { SeriesPreview } from './series';
import type { BookingContext } from './use-booking';

interface SummarySectionProps {
  booking: BookingContext;
  onTake: (seat: Seat) => void;
  onFollow: () => void;
  submitRef: Ref<HTMLButtonElement>;
  /** The first button of the message that the action has changed. */
  changedRef: Ref<HTMLButtonElement>;
}

/** What will be booked, what speaks against it, and the button that books. */
export function SummarySection({ booking, onTake, onFollow, submitRef, changedRef }: SummarySectionProps) {
  const t = useT();
  const keyboard = useKeyboard();
  const { language } = useLanguage();
  const nameOf = useServiceName();
  const words = t.appointment;
  const { state, form, service, slots, seat, action, instead, previewed, incomplete, error } = booking;
  const { repeat } = form.values;
  const missing = state.missing && missingText(t, state.missing);
  return (
    <Card withBorder padding="md" component="section" aria-label={words.summary} className={classes.aside}>
      <div aria-live="polite">
        <Text size="sm" c="dimmed">
          {state.startTime || state.date ? words.chosen : words.proposed}
        </Text>
        <Text className={`tabular ${classes.chosen}`} data-testid="chosen">
          {seat ? seatText(t, language, seat) : '–'}
        </Text>
        {service && seat && <Text size="sm">{nameOf(service)}</Text>}
      </div>
      <OtherAppointments booking={booking} />
      {previewed && seat && (
        <>
          <SeriesPreview series={previewed} startTime={seat.startTime} />
          <Text size="xs" c="dimmed">
            {words.previewHint}
          </Text>
        </>
      )}
      {missing && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)">
          {missing}
        </Text>
      )}
      <BookingError error={error} onTake={onTake} />
      <Button
        ref={submitRef}
        type="submit"
        loading={booking.pending}
        fullWidth
        size="md"
        // The second click of a double click must not submit what the first one changed.
        onClick={(event) => event.detail > 1 && event.preventDefault()}
      >
        {repeat
          ? previewed
            ? words.bookSeries(previewed.items.length)
            : words.preview
          : words.bookingAction[action]}
      </Button>
      {instead && (
        <BookingActionChanged
          ref={changedRef}
          action={action}
          instead={instead}
          free={error === null ? freeSeat(state.date, slots) : null}
          onTake={onTake}
          onFollow={onFollow}
        />
      )}
      {keyboard && incomplete === null && action === 'BOOK' && !instead && !repeat && (
        <Text size="xs" c="dimmed" ta="center">
          {words.enterBooks}
        </Text>
      )}
    </Card>
  );
}

/** Warns about other appointments of the patient at the same time or on the same day. */
function OtherAppointments({ booking: { seat, slots, upcoming } }: { booking: BookingContext }) {
  const t = useT();
  const { language } = useLanguage();
  const nameOf = useServiceName();
  if (!seat || !slots.slot) return null;
  const { overlapping, sameDay } = besides(upcoming.items ?? [], { ...seat, endTime: slots.slot.endTime });
  const listText = (list: Appointment[]) =>
    list.map((one) => appointmentText(t, language, nameOf, one)).join(', ');
  if (overlapping.length > 0) {
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} p="xs">
        {t.appointment.overlaps(listText(overlapping))}
      </Alert>
    );
  }
  if (sameDay.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} p="xs">
      {t.appointment.sameDay(listText(sameDay))}
    </Alert>
  );
}

function missingText(t: Messages, step: BookingStep): string | null {
  const words = t.appointment;
  switch (step) {
    case 'patient':
      return words.choosePatient;
    case 'service':
      return words.chooseServiceFirst;
    case 'day':
    case 'slot':
      return words.chooseTime;
    case 'full':
      return words.overbookReasonNeeded;
    default:
      return null;
  }
}

/** A free seat on the same day, or the proposal if no day was chosen. */
function freeSeat(chosenDate: string, { day, proposal }: BookingContext['slots']): Seat | null {
  const free = day && firstFree(day);
  if (day && free) return { date: day.date, startTime: free.startTime };
  return chosenDate ? null : (proposal ?? null);
}
