import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { ApiError } from '@/api/error';
import { roleKeys } from '@/entities/role/api';
import { meQuery, permissionsQuery } from '@/entities/session/session';
import { useWrite } from '@/ui/use-write';
import { createRole, type Role, type RoleBody, rolesQuery, updateRole } from './api';

const SAVE = ['role', 'save'];

/** Creates a role, or changes the one that `base` is. Sends once at a time, however often it is asked to. */
export function useRoleSave(onSaved: (role: Role) => unknown, onFailed: (error: unknown) => void) {
  const queryClient = useQueryClient();
  const router = useRouter();
  /** Shows the role as it is now known to be saved. */
  const adopt = (role: Role) =>
    queryClient.setQueryData(rolesQuery.queryKey, (roles) => withRole(roles, role));
  const { mutate, ...save } = useWrite({
    mutationKey: SAVE,
    mutationFn: ({ base, body }: { base: Role | null; body: RoleBody }) =>
      base ? updateRole({ ...body, id: base.id, version: base.version }) : createRole(body),
    onSuccess: async (role) => {
      adopt(role);
      onSaved(role);
      void queryClient.invalidateQueries({ queryKey: roleKeys.all });
      if (queryClient.getQueryData(meQuery.queryKey)?.roleId !== role.id) return;
      // One's own rights have changed: the menu and the guard of this very page go by the new ones.
      await Promise.all([
        queryClient.refetchQueries(permissionsQuery),
        queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
      ]);
      await router.invalidate();
    },
    onError: onFailed,
  });
  return {
    ...save,
    adopt,
    send: (base: Role | null, body: RoleBody) => {
      if (queryClient.isMutating({ mutationKey: SAVE }) === 0) mutate({ base, body });
    },
  };
}

function withRole(roles: Role[] | undefined, role: Role): Role[] | undefined {
  if (!roles) return undefined;
  return roles.some(({ id }) => id === role.id)
    ? roles.map((other) => (other.id === role.id ? role : other))
    : [...roles, role];
}

/** The server's word on a field. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.fields.find((known) => known.field === field)?.message;
}
