import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';
import { userKeys } from '@/entities/user/api';

type Schemas = components['schemas'];
export type User = Schemas['User'];
export type UserStatus = Schemas['UserStatus'];
type UserFilter = Schemas['UserFilter'];
export type UserChange = Schemas['UserChange'];
export type NewUser = Schemas['NewUser'];
export type ResetLink = Schemas['ResetLink'];

/** The server's sort fields. */
export const USER_SORTS = ['name', 'username', 'status', 'role', 'lastLoginAt', 'createdAt'] as const;

export const userListQuery = (filter: UserFilter) =>
  queryOptions({
    queryKey: [...userKeys.list, filter],
    queryFn: ({ signal }) => call(api.POST('/admin/api/v1.0/user-admin/list', { body: filter, signal })),
    placeholderData: keepPreviousData,
  });

export const pendingCountQuery = queryOptions({
  queryKey: userKeys.pendingCount,
  queryFn: ({ signal }) =>
    call(
      api.POST('/admin/api/v1.0/user-admin/list', {
        body: { status: 'PENDING', page: 1, pageSize: 1 },
        signal,
      }),
    ),
  select: ({ total }) => total,
});

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: userKeys.one(id),
    queryFn: ({ signal }) =>
      call(api.GET('/admin/api/v1.0/user-admin/{id}', { params: { path: { id } }, signal })),
  });

export const userSessionsQuery = (id: number) =>
  queryOptions({
    queryKey: userKeys.sessions(id),
    queryFn: ({ signal }) =>
      call(api.GET('/admin/api/v1.0/user-admin/{id}/sessions', { params: { path: { id } }, signal })),
  });

const RECENT = 8;

export const userActivityQuery = (id: number) =>
  queryOptions({
    queryKey: userKeys.activity(id),
    queryFn: ({ signal }) =>
      call(
        api.POST('/admin/api/v1/audit/list', {
          body: { entity: 'user', entityId: String(id), page: 1, pageSize: RECENT },
          signal,
        }),
      ),
  });

export function createUser(body: NewUser) {
  return call(api.POST('/admin/api/v1.0/user-admin/create', { body }));
}

export function updateUser(body: UserChange) {
  return call(api.POST('/admin/api/v1.0/user-admin/update', { body }));
}

export function deleteUser(id: number) {
  return call(api.POST('/admin/api/v1.0/user-admin/delete', { body: { id } }));
}

export function endUserSessions(id: number) {
  return call(api.POST('/admin/api/v1.0/user-admin/{id}/end-sessions', { params: { path: { id } } }));
}

export function makeResetLink(id: number) {
  return call(api.POST('/admin/api/v1.0/user-admin/{id}/reset-link', { params: { path: { id } } }));
}
