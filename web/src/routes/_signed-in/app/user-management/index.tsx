import { Paper, Skeleton, Tabs } from '@mantine/core';
import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { NoAccess } from '@/entities/session/no-access';
import { useCan } from '@/entities/session/session';
import { USER_SORTS } from '@/features/user/api';
import { USER_STATUSES } from '@/features/user/user-status';
import { UsersTab } from '@/features/user/users-tab';
import { useT } from '@/i18n/provider';
import { either, oneOf, searchParams } from '@/lib/search-params';
import print from '@/ui/print.module.css';
import { TabRow } from '@/ui/tab-row';
import { idParam, pageParam, pageSizeParam, sortParam, textParam } from '@/ui/table-search';

// Loaded when the tab is opened.
const RolesTab = lazy(async () => ({ default: (await import('@/features/role/roles-tab')).RolesTab }));

const DEFAULTS = { tab: 'users', q: '', sort: 'name', page: 1, pageSize: 20 } as const;

const search = searchParams({
  tab: oneOf(['users', 'roles'], DEFAULTS.tab),
  q: textParam,
  roleId: idParam,
  status: oneOf(USER_STATUSES),
  sort: sortParam(USER_SORTS, DEFAULTS.sort),
  page: pageParam,
  pageSize: pageSizeParam,
  /** The role open in the roles tab, and the one that a new role is copied from. */
  role: either(oneOf(['new']), idParam),
  copy: idParam,
  /** Compares all roles instead of showing one. */
  view: oneOf(['compare']),
});

export const Route = createFileRoute('/_signed-in/app/user-management/')({
  validateSearch: search,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: UserManagement,
});

/** Users and roles, as tabs that the user may see. */
function UserManagement() {
  const t = useT();
  const can = useCan();
  const { tab } = Route.useSearch();
  const navigate = Route.useNavigate();
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
          <Suspense fallback={<Skeleton h={240} />}>
            <RolesTab />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Paper>
  );
}
