import { ActionIcon, Menu } from '@mantine/core';
import {
  IconDeviceDesktopOff,
  IconDots,
  IconKey,
  IconLock,
  IconLockOpen,
  IconPencil,
  IconTrash,
  IconUserCheck,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { readClaims, useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { RowMenu } from '@/ui/row-menu';
import type { User } from './api';
import type { UserActions } from './use-user-actions';

interface UserActionsMenuProps {
  user: User;
  actions: UserActions;
  /** Omits the link to the account's page. */
  onPage?: boolean;
}

/** The actions that the user may perform on an account. The server explains any further restriction. */
export function UserActionsMenu({ user, actions, onPage }: UserActionsMenuProps) {
  const t = useT();
  const can = useCan();
  const mayUpdate = can('USER.UPDATE');
  const mayDelete = can('USER.DELETE');
  if (!mayUpdate && !mayDelete) return null;
  const items = () => (
    <>
      {mayUpdate && !onPage && (
        <Menu.Item
          renderRoot={(props) => (
            <Link to="/app/user-management/$id/edit" params={{ id: user.id }} {...props} />
          )}
          leftSection={<IconPencil size={16} aria-hidden />}
        >
          {t.action.edit}
        </Menu.Item>
      )}
      {mayUpdate && user.status === 'PENDING' && (
        <Menu.Item
          leftSection={<IconUserCheck size={16} aria-hidden />}
          onClick={() => actions.approve.open(user)}
        >
          {t.user.approve}
        </Menu.Item>
      )}
      {mayUpdate && user.status === 'SUSPENDED' && (
        <Menu.Item
          leftSection={<IconLockOpen size={16} aria-hidden />}
          onClick={() => actions.setStatus(user, 'ACTIVE')}
        >
          {t.user.activate}
        </Menu.Item>
      )}
      {mayUpdate && user.status !== 'SUSPENDED' && (
        <Menu.Item
          leftSection={<IconLock size={16} aria-hidden />}
          onClick={() => actions.setStatus(user, 'SUSPENDED')}
        >
          {t.user.suspend}
        </Menu.Item>
      )}
      {mayUpdate && (
        <>
          {readClaims()?.sub === String(user.id) ? (
            // Users change their own password on the profile page, which asks for the current one.
            <Menu.Item
              renderRoot={(props) => <Link to="/app/profile" {...props} />}
              leftSection={<IconKey size={16} aria-hidden />}
            >
              {t.page.changePassword}
            </Menu.Item>
          ) : (
            <Menu.Item
              leftSection={<IconKey size={16} aria-hidden />}
              onClick={() => actions.resetPassword.open(user)}
            >
              {t.user.resetPassword}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconDeviceDesktopOff size={16} aria-hidden />}
            onClick={() => actions.sessions.open(user)}
          >
            {t.user.endSessions}
          </Menu.Item>
        </>
      )}
      {mayDelete && (
        <>
          <Menu.Divider />
          <Menu.Item
            color="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => actions.remove.open(user)}
          >
            {t.user.delete}
          </Menu.Item>
        </>
      )}
    </>
  );
  if (!onPage) return <RowMenu label={t.user.actionsOf(user.name)} items={items} />;
  return (
    <Menu position="bottom-end" shadow="md" returnFocus>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={t.user.actionsOf(user.name)}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{items()}</Menu.Dropdown>
    </Menu>
  );
}
