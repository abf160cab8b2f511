import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type Customer = Schemas['Customer'];
type CustomerFilter = Schemas['CustomerFilter'];
export type CustomerInput = Schemas['CustomerInput'];
type CustomerChange = Schemas['CustomerChange'];
export type CustomerStatus = Schemas['CustomerStatus'];
export type Relation = Schemas['Relation'];

export const CUSTOMER_STATUSES = ['ACTIVE', 'SUSPENDED'] as const;
export const RELATIONS = ['SELF', 'CHILD', 'PARENT', 'SPOUSE', 'OTHER'] as const satisfies Relation[];

/** The server's sort fields. */
export const CUSTOMER_SORTS = ['name', 'phone', 'status', 'createdAt'] as const;
export const CUSTOMER_SORT = 'name';

/** All queries about customers, so that one change refreshes every list it may show in. */
const CUSTOMERS = ['customer'];
export const customerKeys = { all: CUSTOMERS, one: (id: number) => [...CUSTOMERS, 'one', id] };

export const customerListQuery = (filter: CustomerFilter) =>
  queryOptions({
    queryKey: [...CUSTOMERS, 'list', filter],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1.0/customers/list', { body: filter, signal })),
    placeholderData: keepPreviousData,
  });

export const customerQuery = (id: number) =>
  queryOptions({
    queryKey: customerKeys.one(id),
    queryFn: ({ signal }) =>
      call(api.GET('/admin/api/v1.0/customers/{id}', { params: { path: { id } }, signal })),
  });

export function createCustomer(body: CustomerInput) {
  return call(api.POST('/admin/api/v1.0/customers/create', { body }));
}

export function updateCustomer(body: CustomerChange) {
  return call(api.POST('/admin/api/v1.0/customers/update', { body }));
}

export function deleteCustomer(id: number) {
  return call(api.POST('/admin/api/v1.0/customers/delete', { body: { id } }));
}
