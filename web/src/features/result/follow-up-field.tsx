import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type AppointmentDetails, appointmentKeys } from '@/entities/appointment/api';
import { useServiceName } from '@/entities/service/service-name';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { addDays, formatLongDate, formatTime, hospitalToday } from '@/lib/thai-date';
import { Confirm } from '@/ui/confirm';
import { ErrorAlert } from '@/ui/error-alert';
import { ThaiDateInput } from '@/ui/thai-date-input';
import { showDone } from '@/ui/toast';
import { useDialog } from '@/ui/use-dialog';
import { bookFollowUp, openDays } from './api';
import { AFTER, BEFORE, type FreeSeat, proposeSeat, targetDay, WEEKS } from './follow-up';
import classes from './result.module.css';

interface FollowUpFieldProps {
  visit: AppointmentDetails;
  value: string | null;
  error: React.ReactNode;
  onChange: (date: string | null) => void;
}

/** The follow-up: a date, or a number of weeks, which books the least busy day around it. */
export function FollowUpField({ visit, value, error, onChange }: FollowUpFieldProps) {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const queryClient = useQueryClient();
  const dialog = useDialog<FreeSeat>();
  const when = ({ date, startTime }: FreeSeat) =>
    `${formatLongDate(date, language)} ${formatTime(startTime, language)}`;
  const today = hospitalToday();
  const nameOf = useServiceName();
  const find = useMutation({
    mutationFn: async (weeks: number) => {
      const target = targetDay(visit.date, today, weeks);
      const days = await openDays(visit.serviceId, addDays(target, -BEFORE), addDays(target, AFTER));
      return proposeSeat(days, target, visit.startTime);
    },
    onSuccess: (seat) => seat && dialog.open(seat),
  });
  const book = async () => {
    const seat = dialog.subject;
    if (!seat) return;
    const booked = await bookFollowUp(visit, seat);
    onChange(seat.date);
    showDone(t.result.booked(booked.number, when(seat)));
    void queryClient.invalidateQueries({ queryKey: appointmentKeys.all });
  };
  return (
    <div className={classes.stack}>
      <ThaiDateInput
        label={t.result.followUpDate}
        maw={260}
        minDate={visit.date}
        value={value}
        onChange={onChange}
        error={error}
      />
      <fieldset className={classes.weeks} aria-label={t.result.followUp}>
        {WEEKS.map((weeks) => (
          <Button
            key={weeks}
            variant="default"
            size="compact-md"
            aria-label={t.result.weeksLabel(weeks)}
            loading={find.isPending && find.variables === weeks}
            onClick={() =>
              can('APPOINTMENT.CREATE') ? find.mutate(weeks) : onChange(targetDay(visit.date, today, weeks))
            }
          >
            {t.result.weeks(weeks)}
          </Button>
        ))}
      </fieldset>
      {can('APPOINTMENT.CREATE') && (
        <Text size="xs" c="dimmed">
          {t.result.followUpHint}
        </Text>
      )}
      {find.error && <ErrorAlert error={find.error} onRetry={() => find.mutate(find.variables)} />}
      {find.isSuccess && find.data === null && (
        <Text size="sm" role="alert" c="var(--mantine-color-error)">
          {t.result.noSeat}
        </Text>
      )}
      <Confirm
        opened={dialog.opened}
        onClose={dialog.close}
        title={t.result.book}
        confirmLabel={t.result.book}
        onConfirm={book}
      >
        <Group gap={4}>
          <Text size="sm" fw={600}>
            {dialog.subject && t.result.bookText(nameOf(visit.service), when(dialog.subject))}
          </Text>
          <Text size="xs" c="dimmed">
            {t.result.bookNear}
          </Text>
        </Group>
      </Confirm>
    </div>
  );
}
