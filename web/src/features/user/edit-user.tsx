import { Card, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import { RelativeTime } from '@/ui/relative-time';
import { TextLink } from '@/ui/text-link';
import { type User, userQuery } from './api';
import classes from './edit-user.module.css';
import { EditUserForm } from './edit-user-form';
import { useUserActions } from './use-user-actions';
import { UserActionsMenu } from './user-actions-menu';
import { UserActivity } from './user-activity';
import { UserDialogs } from './user-dialogs';
import { UserSessions } from './user-sessions';
import { ResetRequestedBadge, UserStatusBadge } from './user-status';

/** The page of an account: its form, and beside it status, sessions and activity. */
export function EditUser({ id }: { id: number }) {
  const t = useT();
  const can = useCan();
  const { data: user, error, refetch } = useQuery(userQuery(id));
  if (error && !user) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!user) return <Skeleton h={480} role="status" aria-label={t.app.loading} />;
  return (
    <div className={classes.page}>
      <EditUserForm key={user.id} user={user} />
      <Stack gap="md">
        <Overview user={user} />
        <Side title={t.user.sessions}>
          <UserSessions user={user} />
        </Side>
        {can('AUDIT.SHOW') && (
          <Side title={t.user.activity}>
            <UserActivity userId={user.id} />
            {can('SIDEBAR.GLOBAL_CONFIG') && (
              <TextLink
                to="/app/global-config"
                search={{ tab: 'audit', entity: 'user', entityId: String(user.id) }}
                size="sm"
                mt="xs"
                display="inline-block"
              >
                {t.user.activityAll}
              </TextLink>
            )}
          </Side>
        )}
      </Stack>
    </div>
  );
}

function Overview({ user }: { user: User }) {
  const t = useT();
  const navigate = useNavigate();
  const actions = useUserActions();
  return (
    <Side title={t.user.overview} tools={<UserActionsMenu user={user} actions={actions} onPage />}>
      <Group gap="xs">
        <UserStatusBadge status={user.status} />
        {user.resetRequestedAt && <ResetRequestedBadge />}
      </Group>
      <dl className={classes.facts}>
        <dt>{t.account.lastLogin}</dt>
        <dd>{user.lastLoginAt ? <RelativeTime at={user.lastLoginAt} /> : t.account.neverSignedIn}</dd>
        <dt>{t.user.totp}</dt>
        <dd>{user.totpEnabled ? t.account.totp.on : t.account.totp.off}</dd>
        <dt>{t.user.createdAt}</dt>
        <dd>
          <RelativeTime at={user.createdAt} />
        </dd>
      </dl>
      <UserDialogs actions={actions} onDeleted={() => void navigate({ to: '/app/user-management' })} />
    </Side>
  );
}

function Side({ title, tools, children }: { title: string; tools?: ReactNode; children: ReactNode }) {
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" mb="xs" mih={36} wrap="nowrap">
        <Title order={2} size="h3">
          {title}
        </Title>
        {tools}
      </Group>
      <Text component="div" size="sm">
        {children}
      </Text>
    </Card>
  );
}
