import { Code, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useMatches } from '@tanstack/react-router';
import { Fragment } from 'react';
import { useT } from '@/i18n/provider';
import { LinkButton } from '@/ui/link-button';
import { MessagePage } from '@/ui/message-page';
import { usePermissionName } from './permission-name';
import type { Requirement } from './permissions';

export function NoAccess({ needed }: { needed: Requirement }) {
  const t = useT();
  const title = useMatches({ select: (matches) => matches.findLast((match) => match.staticData.title) });
  const page = title?.staticData.title?.(t) ?? '';
  return (
    <MessagePage
      icon={IconLock}
      title={t.error.noAccess}
      actions={<LinkButton to="/app/dashboard">{t.app.backHome}</LinkButton>}
    >
      <Text inherit>{t.error.noAccessHint(page)}</Text>
      <NeededPermissions needed={needed} />
    </MessagePage>
  );
}

/** NeededPermissions lists the permissions of which the user needs one, by name and by code. */
export function NeededPermissions({ needed }: { needed: Requirement }) {
  const t = useT();
  const nameOf = usePermissionName();
  return (
    <Text inherit mt="xs">
      {t.error.permissionNeeded}{' '}
      {needed.map((permission, i) => (
        <Fragment key={permission}>
          {i > 0 && ` ${t.error.or} `}
          {nameOf(permission) !== permission && `${nameOf(permission)} `}
          <Code>{permission}</Code>
        </Fragment>
      ))}
    </Text>
  );
}
