import { Button, Card, Group, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { formatTime, inHospital } from '@/lib/thai-date';
import layout from '@/ui/layout.module.css';
import type { AppointmentDetails } from './api';
import { AppointmentStatusBadge } from './appointment-status';
import { afterDate } from './reschedule';
import { markText, orderedStatuses, usualNext } from './status-order';
import classes from './status-panel.module.css';
import type { StatusActions } from './use-status-actions';

interface StatusPanelProps {
  appointment: AppointmentDetails;
  actions: StatusActions;
}

/** The status of an appointment, the statuses it may get, and undo. */
export function StatusPanel({ appointment, actions }: StatusPanelProps) {
  const t = useT();
  const { language } = useLanguage();
  const can = useCan();
  const words = t.appointment;
  const next = usualNext(appointment);
  const again = appointment.movable && afterDate(appointment) ? words.bookAgainHint : null;
  const { status, allowedStatuses, undoUntil, queueNo, overbooked, cancelReason } = appointment;
  return (
    <Card withBorder padding="md" component="section" aria-label={words.edit.status}>
      <div className={layout.stack}>
        <Group gap="xs">
          <AppointmentStatusBadge status={status} />
          {queueNo && <Text fw={600}>{words.queue(queueNo)}</Text>}
          {overbooked && <Text size="sm">{words.overbookedMark}</Text>}
        </Group>
        {cancelReason && <Text size="sm">{words.history.reason(cancelReason)}</Text>}
        {allowedStatuses.length > 0 ? (
          <div className={classes.marks}>
            {orderedStatuses(appointment).map((to) => (
              <Button
                key={to}
                size="compact-md"
                variant={to === next ? 'filled' : to === 'CANCELLED' ? 'subtle' : 'default'}
                color={to === 'CANCELLED' ? 'gray' : undefined}
                c={to === 'CANCELLED' ? 'var(--mantine-color-error)' : undefined}
                disabled={actions.pending}
                onClick={() => actions.mark(appointment, to)}
              >
                {markText(t, status, to)}
              </Button>
            ))}
          </div>
        ) : (
          <Text size="sm" c="dimmed">
            {again ?? (can('APPOINTMENT.MARK_STATUS') ? words.edit.noNext : words.edit.noRight)}
          </Text>
        )}
        {undoUntil && (
          <Group gap="xs">
            <Button
              variant="default"
              size="compact-md"
              leftSection={<IconArrowBackUp size={16} aria-hidden />}
              disabled={actions.pending}
              onClick={() => actions.undo(appointment)}
            >
              {t.action.undo}
            </Button>
            <Text size="xs" c="dimmed">
              {words.edit.undoUntil(formatTime(inHospital(undoUntil).time, language))}
            </Text>
          </Group>
        )}
      </div>
    </Card>
  );
}
