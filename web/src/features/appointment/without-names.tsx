import { Text } from '@mantine/core';
import { IconCalendarMonth, IconListDetails } from '@tabler/icons-react';
import { NeededPermissions } from '@/entities/session/no-access';
import { usePermissionName } from '@/entities/session/permission-name';
import type { Requirement } from '@/entities/session/permissions';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { LinkButton } from '@/ui/link-button';
import { MessagePage } from '@/ui/message-page';

/** Permission to see who is booked. */
export const SHOW_NAMES = ['APPOINTMENT.SHOW'] as const satisfies Requirement;
/** Permissions of which one is needed to see how full the days are. */
export const SHOW_LOAD = ['APPOINTMENT.SHOW', 'DASHBOARD.SHOW'] as const satisfies Requirement;

/** NoNames explains that the calendar shows counts only, and which permission shows the names. */
export function NoNames() {
  const t = useT();
  const nameOf = usePermissionName();
  return (
    <Text size="sm" c="dimmed">
      {t.calendar.noNames(nameOf(SHOW_NAMES[0]))}
    </Text>
  );
}

/** CalendarUnavailable replaces the calendar for a user who may not see how full the days are. */
export function CalendarUnavailable() {
  const t = useT();
  return (
    <MessagePage
      icon={IconCalendarMonth}
      title={t.calendar.unavailable}
      actions={<LinkButton to="/app/dashboard">{t.app.backHome}</LinkButton>}
    >
      <Text inherit>{t.calendar.unavailableHint}</Text>
      <NeededPermissions needed={SHOW_LOAD} />
    </MessagePage>
  );
}

/** ListUnavailable replaces the list for a user who may not see names. It links to the calendar if that is allowed. */
export function ListUnavailable() {
  const t = useT();
  const can = useCan();
  return (
    <MessagePage
      icon={IconListDetails}
      title={t.appointment.list.unavailable}
      actions={
        can(...SHOW_LOAD) ? (
          <LinkButton to="/app/appointment/calendar">{t.appointment.list.toCalendar}</LinkButton>
        ) : (
          <LinkButton to="/app/dashboard">{t.app.backHome}</LinkButton>
        )
      }
    >
      <Text inherit>{t.appointment.list.unavailableHint}</Text>
      <NeededPermissions needed={SHOW_NAMES} />
    </MessagePage>
  );
}
