import { Button, Group, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { PersonName } from '@/entities/patient/person-name';
import type { Messages } from '@/i18n/th';
import type { Column } from '@/ui/data-table-column';
import { RelativeTime } from '@/ui/relative-time';
import { RowLink } from '@/ui/row-link';
import type { User } from './api';
import classes from './user-columns.module.css';
import { ResetRequestedBadge, UserStatusBadge } from './user-status';

interface ColumnParts {
  mayUpdate: boolean;
  onApprove: (user: User) => void;
  actions: (user: User) => ReactNode;
}

export function userColumns(t: Messages, { mayUpdate, onApprove, actions }: ColumnParts): Column<User>[] {
  return [
    {
      key: 'name',
      title: t.account.name,
      sort: 'name',
      card: 'heading',
      render: (user) =>
        mayUpdate ? (
          <RowLink to="/app/user-management/$id/edit" params={{ id: user.id }}>
            <PersonName name={user.name} />
          </RowLink>
        ) : (
          <Text span size="sm" fw={500}>
            <PersonName name={user.name} />
          </Text>
        ),
    },
    {
      key: 'username',
      title: t.account.username,
      sort: 'username',
      render: (user) => <bdi>{user.username}</bdi>,
    },
    {
      key: 'role',
      title: t.account.role,
      sort: 'role',
      render: (user) => <span className={classes.whole}>{user.role?.label ?? t.account.noRole}</span>,
    },
    {
      key: 'position',
      title: t.account.position,
      ellipsis: true,
      from: 1280,
      render: (user) => <span title={user.position}>{user.position}</span>,
    },
    {
      key: 'status',
      title: t.user.status,
      sort: 'status',
      render: (user) => (
        <Group gap={6}>
          <UserStatusBadge status={user.status} />
          {user.resetRequestedAt && <ResetRequestedBadge />}
          {mayUpdate && user.status === 'PENDING' && (
            <Button
              variant="light"
              size="compact-xs"
              aria-label={t.user.approveNamed(user.name)}
              onClick={() => onApprove(user)}
            >
              {t.user.approve}
            </Button>
          )}
        </Group>
      ),
    },
    {
      key: 'lastLoginAt',
      title: t.account.lastLogin,
      sort: 'lastLoginAt',
      from: 960,
      render: (user) =>
        user.lastLoginAt ? (
          <RelativeTime at={user.lastLoginAt} />
        ) : (
          <Text span size="sm" c="dimmed">
            {t.account.neverSignedIn}
          </Text>
        ),
    },
    {
      key: 'totp',
      title: t.user.totp,
      wrapTitle: true,
      align: 'center',
      from: 1280,
      render: (user) =>
        user.totpEnabled ? (
          <IconShieldCheck size={18} role="img" aria-label={t.user.totpOn} color="var(--app-primary-text)" />
        ) : (
          <>
            <span aria-hidden>–</span>
            <span className="heard">{t.user.totpOff}</span>
          </>
        ),
    },
    {
      key: 'actions',
      title: t.user.actions,
      card: 'actions',
      width: 90,
      align: 'center',
      render: actions,
    },
  ];
}
