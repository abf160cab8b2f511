import { Button, Stack, Text } from '@mantine/core';
import { IconPlus, IconUserSearch, IconUsersPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { Confirm } from '@/ui/confirm';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import { FilterSelect } from '@/ui/filter-bar';
import bar from '@/ui/filter-bar.module.css';
import { LinkButton } from '@/ui/link-button';
import print from '@/ui/print.module.css';
import { PrintHeading } from '@/ui/print-heading';
import { SearchInput } from '@/ui/search-input';
import type { TableState } from '@/ui/table-search';
import { showDone } from '@/ui/toast';
import {
  CUSTOMER_SORT,
  CUSTOMER_SORTS,
  CUSTOMER_STATUSES,
  type CustomerStatus,
  customerKeys,
  customerListQuery,
  deleteCustomer,
} from './api';
import { customerColumns } from './customer-columns';
import { CustomerDrawer } from './customer-drawer';
import { CustomerMenu } from './customer-menu';
import { type CustomerActions, useCustomerActions } from './use-customer-actions';

const route = getRouteApi('/_signed-in/app/patient-management/');

/** The customers who book in the app. Filters, order, page and the open customer are in the address. */
export function CustomersTab() {
  const t = useT();
  const { q, status, page, pageSize, sort: requested = CUSTOMER_SORT } = route.useSearch();
  const sort = CUSTOMER_SORTS.some((field) => field === requested.replace(/^-/, ''))
    ? requested
    : CUSTOMER_SORT;
  const navigate = route.useNavigate();
  const query = useQuery(customerListQuery({ q: q || undefined, status, sort, page, pageSize }));
  const actions = useCustomerActions();
  const change = (part: { q?: string; status?: CustomerStatus }, replace = false) =>
    void navigate({ search: (search) => ({ ...search, page: 1, ...part }), replace });
  const changeTable = ({ sort: next = sort, ...part }: Partial<TableState>) =>
    void navigate({
      search: (search) => ({ ...search, ...part, sort: next === CUSTOMER_SORT ? undefined : next }),
    });
  return (
    <Stack gap="sm">
      <PrintHeading title={t.customer.list} />
      <div className={`${bar.bar} ${bar.filtered} ${print.screen}`}>
        <SearchInput
          className={bar.search}
          label={t.customer.search}
          value={q}
          onSearch={(text) => change({ q: text }, true)}
        />
        <FilterSelect
          aria-label={t.customer.filterStatus}
          all={t.customer.allStatuses}
          value={status}
          choices={CUSTOMER_STATUSES.map((one) => [one, t.customer.statuses[one]])}
          onChange={(next) => change({ status: next })}
        />
        <AddButton ms="auto" />
      </div>
      <DataTable
        label={t.customer.list}
        query={query}
        rowKey={({ id }) => id}
        state={{ sort, page, pageSize }}
        onChange={changeTable}
        onRowClick={({ id }) => void navigate({ search: (search) => ({ ...search, customer: id }) })}
        columns={customerColumns(t, (customer) => <CustomerMenu customer={customer} actions={actions} />)}
        emptyIcon={IconUserSearch}
        empty={
          <NoCustomers
            filtered={q !== '' || status !== undefined}
            onClear={() => change({ q: '', status: undefined })}
          />
        }
      />
      <CustomerDrawer />
      <RemoveDialog actions={actions} />
    </Stack>
  );
}

function AddButton({ ms }: { ms?: 'auto' }) {
  const t = useT();
  if (!useCan()('CUSTOMER.CREATE')) return null;
  return (
    <LinkButton
      from="/app/patient-management"
      to="."
      search={(search) => ({ ...search, customer: 'new' as const })}
      ms={ms}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      {t.customer.add}
    </LinkButton>
  );
}

function NoCustomers({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const t = useT();
  if (!filtered) {
    return (
      <EmptyState icon={IconUsersPlus} title={t.customer.none} action={<AddButton />}>
        {t.customer.noneHint}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconUserSearch}
      title={t.customer.noneFound}
      action={
        <Button variant="light" onClick={onClear}>
          {t.action.clearFilters}
        </Button>
      }
    >
      {t.customer.noneFoundHint}
    </EmptyState>
  );
}

function RemoveDialog({ actions: { remove } }: { actions: CustomerActions }) {
  const t = useT();
  const queryClient = useQueryClient();
  const { id, name, phone } = remove.subject ?? { id: 0, name: '', phone: '' };
  const confirm = async () => {
    await deleteCustomer(id);
    showDone(t.customer.deleted(name));
    void queryClient.invalidateQueries({ queryKey: customerKeys.all });
  };
  return (
    <Confirm
      opened={remove.opened}
      onClose={remove.close}
      title={t.customer.deleteTitle(name)}
      confirmLabel={t.customer.delete}
      danger
      onConfirm={confirm}
    >
      <Text size="sm">{t.customer.deleteText(name, phone)}</Text>
    </Confirm>
  );
}
