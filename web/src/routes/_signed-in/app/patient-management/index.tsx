import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { lazy } from 'react';
import { CUSTOMER_SORTS, CUSTOMER_STATUSES } from '@/features/customer/api';
import { PatientManagement } from '@/features/patient/list-page';
import { PATIENT_SORTS, patientFilterParams } from '@/features/patient/list-search';
import { PatientPicker } from '@/features/patient/search-picker';
import { either, matching, oneOf, searchParams } from '@/lib/search-params';
import { idParam, pageParam, pageSizeParam } from '@/ui/table-search';

// Fetched when the tab is opened.
const CustomersTab = lazy(async () => ({
  default: (await import('@/features/customer/customers-tab')).CustomersTab,
}));

const DEFAULTS = { tab: 'patients', q: '', page: 1, pageSize: 20 } as const;
const SORTS: readonly string[] = [...PATIENT_SORTS, ...CUSTOMER_SORTS];

const search = searchParams({
  tab: oneOf(['patients', 'customers'], DEFAULTS.tab),
  /** The search text is that of the tab that is open; the other filters are the patients'. */
  ...patientFilterParams,
  status: oneOf(CUSTOMER_STATUSES),
  /** Each tab has its own order while this is not given. */
  sort: matching((sort) => SORTS.includes(sort.replace(/^-/, ''))),
  page: pageParam,
  pageSize: pageSizeParam,
  /** The customer that is open beside the list. */
  customer: either(oneOf(['new']), idParam),
});

export const Route = createFileRoute('/_signed-in/app/patient-management/')({
  validateSearch: search,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: () => <PatientManagement customers={<CustomersTab PatientPicker={PatientPicker} />} />,
});
