import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useT } from '@/i18n/provider';
import { showDone, showFailure, showUndo } from '@/ui/toast';
import { type Dialog, useDialog } from '@/ui/use-dialog';
import { type User, type UserStatus, updateUser, userKeys } from './api';

export interface UserActions {
  approve: Dialog<User>;
  resetPassword: Dialog<User>;
  sessions: Dialog<User>;
  remove: Dialog<User>;
  /** At once, with a way back. */
  setStatus: (user: User, status: UserStatus) => void;
}

/** What can be done to an account from a list or from its page. UserDialogs shows the dialogs. */
export function useUserActions(): UserActions {
  const t = useT();
  const queryClient = useQueryClient();
  const status = useMutation({
    mutationFn: ({ user, to }: { user: User; to: UserStatus }) =>
      updateUser({ id: user.id, version: user.version, status: to }),
    onError: (error) => showFailure(t, error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: userKeys.all }),
  });
  const approve = useDialog<User>();
  return {
    approve,
    resetPassword: useDialog<User>(),
    sessions: useDialog<User>(),
    remove: useDialog<User>(),
    setStatus: (user, to) => {
      if (status.isPending) return;
      // An account without a role cannot be active: it needs one first.
      if (to === 'ACTIVE' && user.roleId === null) return approve.open(user);
      status.mutate(
        { user, to },
        {
          onSuccess: (changed) =>
            showUndo({
              message: to === 'SUSPENDED' ? t.user.suspended(user.name) : t.user.activated(user.name),
              undoLabel: t.action.undo,
              onUndo: () =>
                status.mutate(
                  { user: changed, to: user.status },
                  { onSuccess: () => showDone(t.user.undone(user.name)) },
                ),
            }),
        },
      );
    },
  };
}
