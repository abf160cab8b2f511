import { Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { SHOW_LOAD, SHOW_NAMES } from '@/entities/appointment/permissions';
import { NeededPermissions } from '@/entities/session/no-access';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { LinkButton } from '@/ui/link-button';
import { MessagePage } from '@/ui/message-page';

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
