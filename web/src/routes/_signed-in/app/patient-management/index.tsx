import { createFileRoute, stripSearchParams } from '@tanstack/react-router';
import { lazy } from 'react';
import { z } from 'zod';
import { CUSTOMER_SORTS, CUSTOMER_STATUSES } from '@/features/customer/api';
import { PatientManagement } from '@/features/patient/list-page';
import { PATIENT_SORTS, patientFilterParams } from '@/features/patient/list-search';
import { PatientPicker } from '@/features/patient/search-picker';
import { pageParam, pageSizeParam } from '@/ui/table-search';

// Fetched when the tab is opened.
const CustomersTab = lazy(async () => ({
  default: (await import('@/features/customer/customers-tab')).CustomersTab,
}));

const DEFAULTS = { tab: 'patients', q: '', page: 1, pageSize: 20 } as const;
const SORTS: readonly string[] = [...PATIENT_SORTS, ...CUSTOMER_SORTS];

const search = z.object({
  tab: z.enum(['patients', 'customers']).default(DEFAULTS.tab).catch(DEFAULTS.tab),
  /** The search text is that of the tab that is open; the other filters are the patients'. */
  ...patientFilterParams,
  status: z.enum(CUSTOMER_STATUSES).optional().catch(undefined),
  /** Each tab has its own order while this is not given. */
  sort: z
    .string()
    .refine((sort) => SORTS.includes(sort.replace(/^-/, '')))
    .optional()
    .catch(undefined),
  page: pageParam,
  pageSize: pageSizeParam,
  /** The customer that is open beside the list. */
  customer: z
    .union([z.number().int().positive(), z.literal('new')])
    .optional()
    .catch(undefined),
});

export const Route = createFileRoute('/_signed-in/app/patient-management/')({
  validateSearch: search,
  search: { middlewares: [stripSearchParams(DEFAULTS)] },
  component: () => <PatientManagement customers={<CustomersTab PatientPicker={PatientPicker} />} />,
});
