import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type Ref, useId } from 'react';
import { type Seat, seatText } from '@/entities/appointment/appointment-text';
import { useLanguage, useT } from '@/i18n/provider';
import type { BookingAction } from './booking-values';

interface BookingActionChangedProps {
  /** What the form's button does. */
  action: BookingAction;
  /** What can be done now instead, after other users filled or freed the slot. */
  instead: BookingAction;
  /** A free seat to take instead. */
  free: Seat | null;
  onTake: (seat: Seat) => void;
  onFollow: () => void;
  /** The first button. */
  ref?: Ref<HTMLButtonElement>;
}

/**
 * BookingActionChanged is shown below the submit button when other users have filled or freed the slot. The button
 * keeps its action until the user chooses another one here.
 */
export function BookingActionChanged({
  action,
  instead,
  free,
  onTake,
  onFollow,
  ref,
}: BookingActionChangedProps) {
  const t = useT();
  const { language } = useLanguage();
  const text = useId();
  const words = t.appointment.changed;
  const takesFree = free !== null && instead !== 'BOOK';
  return (
    <Alert role="alert" color="orange" icon={<IconAlertTriangle aria-hidden />} p="xs">
      <Text id={text} size="sm" mb={6}>
        {instead === 'BOOK' ? words.freed : action === 'OVERBOOK' ? words.spent : words.filled}
      </Text>
      <Group gap="xs">
        {takesFree && (
          <Button
            ref={ref}
            variant="default"
            size="compact-md"
            aria-describedby={text}
            onClick={() => onTake(free)}
          >
            {words.to(seatText(t, language, free))}
          </Button>
        )}
        <Button
          ref={takesFree ? undefined : ref}
          variant="default"
          size="compact-md"
          aria-describedby={text}
          onClick={onFollow}
        >
          {words.to(t.appointment.bookingAction[instead])}
        </Button>
      </Group>
    </Alert>
  );
}
