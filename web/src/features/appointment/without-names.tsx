import { Text } from '@mantine/core';
import { IconCalendarMonth, IconListDetails } from '@tabler/icons-react';
import { NeededPermissions } from '@/app/pages/no-access';
import { usePermissionName } from '@/app/permission-name';
import type { Requirement } from '@/app/permissions';
import { useCan } from '@/app/session';
import { useT } from '@/i18n/provider';
import { LinkButton } from '@/ui/link-button';
import { MessagePage } from '@/ui/message-page';

/** What it takes to see who is booked. */
export const NAMES = ['APPOINTMENT.SHOW'] as const satisfies Requirement;
/** What it takes to see how full the days are. */
export const LOAD = ['APPOINTMENT.SHOW', 'DASHBOARD.SHOW'] as const satisfies Requirement;

/** NoNames stands above the calendar of a user who sees counts only, and says whom to ask for more. */
export function NoNames() {
  const t = useT();
  const nameOf = usePermissionName();
  return (
    <Text size="sm" c="dimmed">
      {t.calendar.noNames(nameOf(NAMES[0]))}
    </Text>
  );
}

/** CalendarUnavailable is the calendar of a user who may not even see how full the days are. */
export function CalendarUnavailable() {
  const t = useT();
  return (
    <MessagePage
      icon={IconCalendarMonth}
      title={t.calendar.unavailable}
      actions={<LinkButton to="/app/dashboard">{t.app.backHome}</LinkButton>}
    >
      <Text inherit>{t.calendar.unavailableHint}</Text>
      <NeededPermissions needed={LOAD} />
    </MessagePage>
  );
}

/** ListUnavailable is the list of a user who may not see names; the calendar has the numbers, where they may see those. */
export function ListUnavailable() {
  const t = useT();
  const can = useCan();
  return (
    <MessagePage
      icon={IconListDetails}
      title={t.appointment.list.unavailable}
      actions={
        can(...LOAD) ? (
          <LinkButton to="/app/appointment/calendar">{t.appointment.list.toCalendar}</LinkButton>
        ) : (
          <LinkButton to="/app/dashboard">{t.app.backHome}</LinkButton>
        )
      }
    >
      <Text inherit>{t.appointment.list.unavailableHint}</Text>
      <NeededPermissions needed={NAMES} />
    </MessagePage>
  );
}
