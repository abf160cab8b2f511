import { Button, Stack } from '@mantine/core';
import { IconClockPause, IconPlus, IconUserSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterSelect } from '@/ui/filter-bar';
import bar from '@/ui/filter-bar.module.css';
import { LinkButton } from '@/ui/link-button';
import print from '@/ui/print.module.css';
import { PrintHeading } from '@/ui/print-heading';
import { SearchInput } from '@/ui/search-input';
import { pendingCountQuery, type User, userListQuery } from './api';
import { RoleSelect } from './role-select';
import { useUserActions } from './use-user-actions';
import { UserActionsMenu } from './user-actions-menu';
import { userColumns } from './user-columns';
import { UserDialogs } from './user-dialogs';
import { USER_STATUSES } from './user-status';

const route = getRouteApi('/_signed-in/app/user-management/');

/** The accounts. Search, filters, order and page are in the address. */
export function UsersTab() {
  const t = useT();
  const can = useCan();
  const { q, roleId, status, sort, page, pageSize } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: object, replace = false) =>
    void navigate({ search: (search) => ({ ...search, page: 1, ...part }), replace });
  const query = useQuery(userListQuery({ q: q || undefined, roleId, status, sort, page, pageSize }));
  const { data: pending = 0 } = useQuery(pendingCountQuery);
  const actions = useUserActions();
  const filtered = q !== '' || roleId !== undefined || status !== undefined;
  const clear = () => change({ q: '', roleId: undefined, status: undefined });
  const mayUpdate = can('USER.UPDATE');
  const openUser = (user: User) =>
    void navigate({ to: '/app/user-management/$id/edit', params: { id: user.id } });
  return (
    <Stack gap="sm">
      <PrintHeading title={t.user.list} />
      <div className={`${bar.bar} ${bar.filtered} ${print.screen}`}>
        <SearchInput
          className={bar.search}
          label={t.user.search}
          value={q}
          onSearch={(text) => change({ q: text }, true)}
        />
        <RoleSelect
          className={bar.filter}
          aria-label={t.user.filterRole}
          emptyLabel={t.user.allRoles}
          value={roleId ? String(roleId) : ''}
          onChange={(id) => change({ roleId: id ? Number(id) : undefined })}
        />
        <FilterSelect
          aria-label={t.user.filterStatus}
          all={t.user.allStatuses}
          value={status}
          choices={USER_STATUSES.map((one) => [one, t.user.statuses[one]])}
          onChange={(next) => change({ status: next })}
        />
        {(pending > 0 || status === 'PENDING') && (
          <Button
            variant={status === 'PENDING' ? 'filled' : 'light'}
            aria-pressed={status === 'PENDING'}
            leftSection={<IconClockPause size={16} aria-hidden />}
            onClick={() => change({ status: status === 'PENDING' ? undefined : 'PENDING' })}
          >
            {t.user.pendingCount(pending)}
          </Button>
        )}
        {can('USER.CREATE') && (
          <LinkButton
            to="/app/user-management/create"
            ms="auto"
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            {t.user.create}
          </LinkButton>
        )}
      </div>
      <DataTable
        label={t.user.list}
        query={query}
        rowKey={(user) => user.id}
        state={{ sort, page, pageSize }}
        onChange={(part) => change({ page, ...part })}
        onRowClick={mayUpdate ? openUser : undefined}
        columns={userColumns(t, {
          mayUpdate,
          onApprove: actions.approve.open,
          actions: (user) => <UserActionsMenu user={user} actions={actions} />,
        })}
        emptyIcon={IconUserSearch}
        empty={
          <EmptyState
            icon={IconUserSearch}
            title={filtered ? (status === 'PENDING' ? t.user.nonePending : t.user.noneFound) : t.user.none}
            action={
              filtered && (
                <Button variant="light" onClick={clear}>
                  {t.action.clearFilters}
                </Button>
              )
            }
          >
            {filtered && status !== 'PENDING' && t.user.noneFoundHint}
          </EmptyState>
        }
      />
      <UserDialogs actions={actions} />
    </Stack>
  );
}
