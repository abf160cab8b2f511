import { Button, Group, Text, Title } from '@mantine/core';
import { IconCopy, IconShieldLock, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { roleKeys } from '@/entities/role/api';
import { useCan, usePermissions } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { Confirm } from '@/ui/confirm';
import { LinkButton } from '@/ui/link-button';
import { StatusBadge } from '@/ui/status-badge';
import { showDone } from '@/ui/toast';
import { useDialog } from '@/ui/use-dialog';
import { deleteRole, type Role } from './api';

const DELETE_ID = 'delete-role';

interface RoleHeaderProps {
  role: Role;
  onDeleted: () => unknown;
}

/** The role's name, its actions, and why an action is not available. */
export function RoleHeader({ role, onDeleted }: RoleHeaderProps) {
  const t = useT();
  const can = useCan();
  const held = usePermissions();
  const queryClient = useQueryClient();
  const dialog = useDialog<Role>(() => DELETE_ID);
  const mayDelete = can('ROLE.DELETE');
  const exceedsOwn = role.permissions.some((permission) => !held.includes(permission));
  const reason = role.system
    ? t.role.systemStays
    : role.userCount > 0
      ? t.role.usedStays(role.userCount)
      : exceedsOwn
        ? t.role.mightier
        : '';
  return (
    <Group justify="space-between" align="flex-start" gap="xs" mb="sm">
      <div>
        <Group gap="xs">
          <Title order={2} id="role-title" tabIndex={-1}>
            {role.label}
          </Title>
          {role.system && (
            <StatusBadge icon={IconShieldLock} color="gray">
              {t.role.system}
            </StatusBadge>
          )}
        </Group>
        {mayDelete && reason && (
          <Text size="xs" c="dimmed" id="delete-role-reason">
            {reason}
          </Text>
        )}
      </div>
      <Group gap="xs">
        {can('ROLE.CREATE') && (
          <LinkButton
            to="/app/user-management"
            search={{ tab: 'roles', role: 'new', copy: role.id }}
            variant="default"
            leftSection={<IconCopy size={16} aria-hidden />}
          >
            {t.role.copy}
          </LinkButton>
        )}
        {mayDelete && (
          <Button
            id={DELETE_ID}
            variant="default"
            leftSection={<IconTrash size={16} aria-hidden />}
            disabled={reason !== ''}
            aria-describedby={reason ? 'delete-role-reason' : undefined}
            onClick={() => dialog.open(role)}
          >
            {t.role.remove}
          </Button>
        )}
      </Group>
      <Confirm
        opened={dialog.opened}
        onClose={dialog.close}
        title={t.role.removeTitle}
        confirmLabel={t.role.remove}
        danger
        onConfirm={async () => {
          await deleteRole(role.id);
          showDone(t.role.removed(role.label));
          await onDeleted();
          await queryClient.invalidateQueries({ queryKey: roleKeys.all });
        }}
      >
        {t.role.removeText(dialog.subject?.label ?? role.label)}
      </Confirm>
    </Group>
  );
}
