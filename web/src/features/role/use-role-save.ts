import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { ApiError } from '@/api/error';
import { type PermissionInfo, roleKeys } from '@/entities/role/api';
import { meQuery, permissionsQuery } from '@/entities/session/session';
import { useVersionedSave } from '@/ui/use-versioned-save';
import { useWrite } from '@/ui/use-write';
import { createRole, type Role, type RoleBody, rolesQuery, updateRole } from './api';
import { bodyOf, draftOf, isSame, roleFields } from './draft';

const SAVE = [...roleKeys.all, 'save'];

interface RoleSave {
  catalogue: readonly PermissionInfo[];
  onSaved: (role: Role) => unknown;
  onFailed: (error: unknown) => void;
  /** The user settled a conflict: go on from the stored role with these values. */
  onSettled: (current: Role, values: RoleBody, save: boolean) => void;
}

/** useRoleSave creates a role, or changes `base`. Only one save is sent at a time. */
export function useRoleSave({ catalogue, onSaved, onFailed, onSettled }: RoleSave) {
  const queryClient = useQueryClient();
  const router = useRouter();
  /** Puts a saved role into the cached list. */
  const adopt = (role: Role) =>
    queryClient.setQueryData(rolesQuery.queryKey, (roles) => withRole(roles, role));
  const versioned = useVersionedSave({
    valuesOf: (role: Role) => bodyOf(draftOf(role), catalogue),
    fields: roleFields,
    changeOf: (base, body: RoleBody) =>
      isSame(draftOf(base), draftOf(body))
        ? null
        : { ...bodyOf(draftOf(body), catalogue), id: base.id, version: base.version },
    update: updateRole,
    onSettled: (current, body, save) => {
      mutation.reset();
      if (!save) adopt(current);
      onSettled(current, body, save);
      if (save) send(current, body);
    },
  });
  const { mutate, ...mutation } = useWrite({
    mutationKey: SAVE,
    mutationFn: async ({ base, body }: { base: Role | null; body: RoleBody }) =>
      base ? (await versioned.save(base, body)).saved : createRole(body),
    onSuccess: async (role) => {
      adopt(role);
      onSaved(role);
      void queryClient.invalidateQueries({ queryKey: roleKeys.all });
      if (queryClient.getQueryData(meQuery.queryKey)?.roleId !== role.id) return;
      // The user's own permissions have changed: the menu and the guard of this page use the new ones.
      await Promise.all([
        queryClient.refetchQueries(permissionsQuery),
        queryClient.invalidateQueries({ queryKey: meQuery.queryKey }),
      ]);
      await router.invalidate();
    },
    onError: (error, { base, body }) => {
      if (!base || !versioned.onError(error, base, body)) onFailed(error);
    },
  });
  const send = (base: Role | null, body: RoleBody) => {
    if (queryClient.isMutating({ mutationKey: SAVE }) === 0) mutate({ base, body });
  };
  return { ...mutation, send, conflict: versioned.conflict };
}

function withRole(roles: Role[] | undefined, role: Role): Role[] | undefined {
  if (!roles) return undefined;
  return roles.some(({ id }) => id === role.id)
    ? roles.map((other) => (other.id === role.id ? role : other))
    : [...roles, role];
}

/** The server's message about a field. */
export function fieldError(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.fields.find((known) => known.field === field)?.message;
}
