import { Card, Skeleton, Tabs } from '@mantine/core';
import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { NoAccess } from '@/entities/session/no-access';
import { useCan } from '@/entities/session/session';
import { CUSTOMER_SORTS, CUSTOMER_STATUSES } from '@/features/customer/api';
import { PATIENT_SORTS, patientFilterParams } from '@/features/patient/list-search';
import { PatientsTab } from '@/features/patient/list-tab';
import { useT } from '@/i18n/provider';
import { either, matching, oneOf, searchParams } from '@/lib/search-params';
import print from '@/ui/print.module.css';
import { TabRow } from '@/ui/tab-row';
import { idParam, pageParam, pageSizeParam } from '@/ui/table-search';

// Loaded when the tab is opened.
const CustomersTab = lazy(async () => ({
  default: (await import('@/features/customer/customers-tab')).CustomersTab,
}));

const DEFAULTS = { tab: 'patients', q: '', page: 1, pageSize: 20 } as const;
const SORTS: readonly string[] = [...PATIENT_SORTS, ...CUSTOMER_SORTS];

const search = searchParams({
  tab: oneOf(['patients', 'customers'], DEFAULTS.tab),
  /** The search text belongs to the open tab; the other filters to the patients tab. */
  ...patientFilterParams,
  status: oneOf(CUSTOMER_STATUSES),
  /** By default each tab has its own order. */
  sort: matching((sort) => SORTS.includes(sort.replace(/^-/, ''))),
  page: pageParam,
  pageSize: pageSizeParam,
  /** The customer open beside the list. */
  customer: either(oneOf(['new']), idParam),
});

export const Route = createFileRoute('/_signed-in/app/patient-management/')({
  validateSearch: search,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: PatientManagement,
});

/** The patients and the customers who book for them, as tabs that the user may see. */
function PatientManagement() {
  const t = useT();
  const can = useCan();
  const { tab } = Route.useSearch();
  const navigate = Route.useNavigate();
  const mayPatients = can('PATIENT.SHOW');
  const mayCustomers = can('CUSTOMER.SHOW');
  if (!mayPatients && !mayCustomers) return <NoAccess needed={['PATIENT.SHOW', 'CUSTOMER.SHOW']} />;
  if (tab === 'customers' && !mayCustomers) return <NoAccess needed={['CUSTOMER.SHOW']} />;
  const shown = tab === 'customers' || !mayPatients ? 'customers' : 'patients';
  return (
    <Card withBorder padding="md" className={print.sheet}>
      <Tabs
        value={shown}
        onChange={(next) => void navigate({ search: next === 'customers' ? { tab: 'customers' } : {} })}
        keepMounted={false}
      >
        <TabRow
          mb="md"
          label={t.patientList.tabs}
          tabs={[
            ...(mayPatients ? ['patients' as const] : []),
            ...(mayCustomers ? ['customers' as const] : []),
          ]}
          words={{ patients: t.patientList.patientsTab, customers: t.patientList.customersTab }}
        />
        <Tabs.Panel value="patients">
          <PatientsTab />
        </Tabs.Panel>
        <Tabs.Panel value="customers">
          <Suspense fallback={<Skeleton h={240} />}>
            <CustomersTab />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}
