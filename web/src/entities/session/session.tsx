import { queryOptions, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo } from 'react';
import { api, call, type Permission } from '@/api/client';
import { adminToken, removeTokens } from '@/api/token';
import { type Claims, decodeToken, isExpired } from '@/lib/jwt';
import { isAllowed, type Requirement } from './permissions';

/** All queries of the signed-in user's own session. */
export const sessionKeys = { all: ['session'] };

/** The claims of the stored token, or null when it is missing, unreadable or expired. */
export function readClaims(): Claims | null {
  const claims = decodeToken(adminToken() ?? '');
  return claims && !isExpired(claims) ? claims : null;
}

/** Not retried: a failure ends the session (app/guard.ts). Refetched when the server rejects an action as forbidden. */
export const permissionsQuery = queryOptions({
  queryKey: [...sessionKeys.all, 'permissions'],
  queryFn: ({ signal }) =>
    call(api.GET('/admin/api/v1.0/auth/permissions', { signal }), { keepSession: true }),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

export const meQuery = queryOptions({
  queryKey: [...sessionKeys.all, 'me'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1.0/auth/me', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Ends the session in the browser even if the server cannot be reached. */
export async function signOut(): Promise<void> {
  await call(api.POST('/admin/api/v1.0/auth/logout'), { keepSession: true }).catch(() => {});
  removeTokens();
}

/** Returns the signed-in user: from the token at once, with the role's label when it is loaded. */
export function useUser(): { name: string; role: string } {
  const { data: me } = useQuery(meQuery);
  const claims = readClaims();
  return { name: me?.name ?? claims?.name ?? '', role: me?.role?.label ?? claims?.role ?? '' };
}

interface Permissions {
  held: readonly Permission[];
  can: (...anyOf: Requirement) => boolean;
}

function permissionsOf(held: readonly Permission[]): Permissions {
  return { held, can: (...anyOf) => isAllowed(anyOf, held) };
}

/** Without a provider nothing is allowed. */
const PermissionsContext = createContext(permissionsOf([]));

/**
 * Subscribes to the permissions once for the whole tree: a page of rows checks hundreds of them, and each query
 * observer would be notified of every change.
 */
export function PermissionsProvider({ children }: { children: ReactNode }) {
  const { data } = useQuery(permissionsQuery);
  const permissions = useMemo(() => permissionsOf(data ?? []), [data]);
  return <PermissionsContext value={permissions}>{children}</PermissionsContext>;
}

/** Returns the user's current permissions. */
export function usePermissions(): readonly Permission[] {
  return use(PermissionsContext).held;
}

/** Whether the user may move all appointments out of a closure. The server checks the same permissions. */
export function useMayMoveClosed(): boolean {
  const can = useCan();
  return can('SERVICE_SCHEDULE.UPDATE') && can('APPOINTMENT.UPDATE') && can('APPOINTMENT.SHOW');
}

/** `const can = useCan(); can('PATIENT.CREATE')`: true if the user has at least one of the permissions. */
export function useCan(): Permissions['can'] {
  return use(PermissionsContext).can;
}
