import { queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

export type PermissionInfo = components['schemas']['PermissionInfo'];

/** All queries about roles, so that one change refreshes every list it may show in. */
const ROLES = ['role'];
export const roleKeys = { all: ROLES, list: [...ROLES, 'every'] };

/** The names of all roles. */
export const roleChoicesQuery = queryOptions({
  queryKey: [...ROLES, 'choices'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1/role/list', { signal })),
});

/** All permissions with their names, in the order of the role matrix. They change only with the server version. */
export const permissionsCatalogueQuery = queryOptions({
  queryKey: [...ROLES, 'permissions'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1/role/permissions', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});
