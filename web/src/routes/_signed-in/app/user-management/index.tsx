import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { lazy } from 'react';
import { USER_SORTS } from '@/features/user/api';
import { UserManagement } from '@/features/user/user-management';
import { USER_STATUSES } from '@/features/user/user-status';
import { either, oneOf, searchParams } from '@/lib/search-params';
import { idParam, pageParam, pageSizeParam, sortParam, textParam } from '@/ui/table-search';

// Fetched when the tab is opened.
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
  /** The role that is open in the roles tab, and the one a new role starts from. */
  role: either(oneOf(['new']), idParam),
  copy: idParam,
  /** All roles beside each other instead of one. */
  view: oneOf(['compare']),
});

export const Route = createFileRoute('/_signed-in/app/user-management/')({
  validateSearch: search,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: () => <UserManagement roles={<RolesTab />} />,
});
