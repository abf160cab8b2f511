import { Paper, Skeleton, Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { NoAccess } from '@/entities/session/no-access';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import print from '@/ui/print.module.css';
import { TabRow } from '@/ui/tab-row';
import { UsersTab } from './users-tab';

const route = getRouteApi('/_signed-in/app/user-management/');

/** Users and roles: the tabs that the signed-in person may see. */
export function UserManagement({ roles }: { roles: ReactNode }) {
  const t = useT();
  const can = useCan();
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const mayUsers = can('USER.SHOW');
  const mayRoles = can('ROLE.SHOW');
  if (!mayUsers && !mayRoles) return <NoAccess needed={['USER.SHOW', 'ROLE.SHOW']} />;
  const shown = (tab === 'roles' && mayRoles) || !mayUsers ? 'roles' : 'users';
  return (
    <Paper withBorder p="md" className={print.sheet}>
      <Tabs
        value={shown}
        onChange={(next) => void navigate({ search: next === 'roles' ? { tab: 'roles' } : {} })}
        keepMounted={false}
      >
        <TabRow
          mb="md"
          label={t.user.tabs}
          tabs={[...(mayUsers ? ['users' as const] : []), ...(mayRoles ? ['roles' as const] : [])]}
          words={{ users: t.user.usersTab, roles: t.user.rolesTab }}
        />
        <Tabs.Panel value="users">
          <UsersTab />
        </Tabs.Panel>
        <Tabs.Panel value="roles">
          <Suspense fallback={<Skeleton h={240} />}>{roles}</Suspense>
        </Tabs.Panel>
      </Tabs>
    </Paper>
  );
}
