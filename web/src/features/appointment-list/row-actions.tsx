import { Menu } from '@mantine/core';
import {
  IconCalendarEvent,
  IconClipboardText,
  IconHistory,
  IconHourglass,
  IconPrinter,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Appointment } from '@/entities/appointment/api';
import { STATUS_LOOKS } from '@/entities/appointment/appointment-status';
import { printSlip } from '@/entities/appointment/print-pdf';
import { markText, orderedStatuses, usualNext } from '@/entities/appointment/status-order';
import type { StatusActions } from '@/entities/appointment/use-status-actions';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { fullName } from '@/lib/full-name';
import { RowButton } from '@/ui/row-button';
import { RowMenu } from '@/ui/row-menu';
import { showFailure } from '@/ui/toast';
import classes from './list.module.css';

interface RowActionsProps {
  appointment: Appointment;
  actions: StatusActions;
  onHistory: (appointment: Appointment) => void;
}

/** The usual next status as a button, all other actions in a menu. */
export function RowActions({ appointment, actions, onHistory }: RowActionsProps) {
  const t = useT();
  const can = useCan();
  const words = t.appointment.list;
  const { id, number, status, patient, movable } = appointment;
  const next = usualNext(appointment);
  const params = { id: String(id) };
  return (
    <div className={classes.actions}>
      {next && (
        <RowButton
          disabled={actions.pending}
          aria-label={`${markText(t, status, next)}: ${fullName(patient)}`}
          onClick={() => actions.mark(appointment, next)}
        >
          {markText(t, status, next)}
        </RowButton>
      )}
      <RowMenu
        label={words.actionsOf(fullName(patient), number)}
        items={() => (
          <>
            <AllowedStatuses appointment={appointment} actions={actions} />
            {can('APPOINTMENT.UPDATE', 'APPOINTMENT.MARK_STATUS') && (
              <Menu.Item
                renderRoot={(props) => <Link to="/app/appointment/$id/edit" params={params} {...props} />}
                leftSection={<IconCalendarEvent size={16} aria-hidden />}
              >
                {!movable ? words.open : status === 'NO_SHOW' ? t.appointment.bookAgain : words.reschedule}
              </Menu.Item>
            )}
            {status !== 'WAITLISTED' && status !== 'CANCELLED' && (
              <Menu.Item
                leftSection={<IconPrinter size={16} aria-hidden />}
                onClick={() => void printSlip(id).catch((error) => showFailure(t, error))}
              >
                {t.appointment.printSlip}
              </Menu.Item>
            )}
            {can('RESULT.CREATE') && (
              <Menu.Item
                renderRoot={(props) => (
                  <Link to="/app/appointment/$id/diagnosisResults" params={params} {...props} />
                )}
                leftSection={<IconClipboardText size={16} aria-hidden />}
              >
                {words.result}
              </Menu.Item>
            )}
            {status === 'WAITLISTED' && (
              <Menu.Item
                leftSection={<IconHourglass size={16} aria-hidden />}
                onClick={() => actions.showWaitlist(appointment)}
              >
                {t.appointment.waitlist.show}
              </Menu.Item>
            )}
            <Menu.Item
              leftSection={<IconHistory size={16} aria-hidden />}
              onClick={() => onHistory(appointment)}
            >
              {t.appointment.history.show}
            </Menu.Item>
          </>
        )}
      />
    </div>
  );
}

function AllowedStatuses({ appointment, actions }: { appointment: Appointment; actions: StatusActions }) {
  const t = useT();
  const { status, allowedStatuses } = appointment;
  if (allowedStatuses.length === 0) return null;
  return (
    <>
      <Menu.Label>{t.appointment.list.otherStatuses}</Menu.Label>
      {orderedStatuses(appointment).map((to) => {
        const { icon: Icon } = STATUS_LOOKS[to];
        return (
          <Menu.Item
            key={to}
            color={to === 'CANCELLED' ? 'var(--mantine-color-error)' : undefined}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => actions.mark(appointment, to)}
          >
            {markText(t, status, to)}
          </Menu.Item>
        );
      })}
      <Menu.Divider />
    </>
  );
}
