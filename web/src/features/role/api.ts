import { queryOptions } from '@tanstack/react-query';
import { api, call, type Permission } from '@/api/client';
import type { components } from '@/api/schema';
import { roleKeys } from '@/entities/role/api';

export type Role = components['schemas']['Role'];
export type RoleBody = components['schemas']['RoleDraft'];
export type { Permission };

const PAGE_SIZE = 200;

/** All roles with their permissions. Usually a few; more than one page of them is fetched completely. */
async function everyRole(signal: AbortSignal): Promise<Role[]> {
  const roles: Role[] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await call(
      api.POST('/admin/api/v1/role/list', { body: { page, pageSize: PAGE_SIZE }, signal }),
    );
    roles.push(...items);
    if (items.length === 0 || roles.length >= total) return roles;
  }
}

export const rolesQuery = queryOptions({
  queryKey: roleKeys.list,
  queryFn: ({ signal }) => everyRole(signal),
  // The number of users of a role changes elsewhere.
  refetchOnMount: 'always',
});

export function createRole(body: RoleBody) {
  return call(api.POST('/admin/api/v1/role/create', { body }));
}

export function updateRole(body: RoleBody & { id: number; version: number }) {
  return call(api.POST('/admin/api/v1/role/update', { body }));
}

export function deleteRole(id: number) {
  return call(api.POST('/admin/api/v1/role/delete', { body: { id } }));
}
