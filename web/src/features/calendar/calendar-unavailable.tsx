import { Text } from '@mantine/core';
import { IconCalendarMonth } from '@tabler/icons-react';
import { SHOW_LOAD, SHOW_NAMES } from '@/entities/appointment/permissions';
import { NeededPermissions } from '@/entities/session/no-access';
import { usePermissionName } from '@/entities/session/permission-name';
import { useT } from '@/i18n/provider';
import { LinkButton } from '@/ui/link-button';
import { MessagePage } from '@/ui/message-page';

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
