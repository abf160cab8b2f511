import { userKeys } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { type Dialog, useDialog } from '@/ui/use-dialog';
import { useUndoable } from '@/ui/use-undoable';
import { type User, type UserStatus, updateUser } from './api';

export interface UserActions {
  approve: Dialog<User>;
  resetPassword: Dialog<User>;
  sessions: Dialog<User>;
  remove: Dialog<User>;
  /** Applied immediately, with undo. */
  setStatus: (user: User, status: UserStatus) => void;
}

/** The actions on an account, for the list and its page. UserDialogs renders the dialogs. */
export function useUserActions(): UserActions {
  const t = useT();
  const change = useUndoable<User, UserStatus>({
    send: ({ id, version }, status) => updateUser({ id, version, status }),
    queryKey: userKeys.all,
    done: ({ name }, to) => (to === 'SUSPENDED' ? t.user.suspended(name) : t.user.activated(name)),
    undone: ({ name }) => t.user.undone(name),
  });
  const approve = useDialog<User>();
  return {
    approve,
    resetPassword: useDialog<User>(),
    sessions: useDialog<User>(),
    remove: useDialog<User>(),
    setStatus: (user, to) => {
      // An account without a role cannot be activated: assign one first.
      if (to === 'ACTIVE' && user.roleId === null) approve.open(user);
      else change(user, to, user.status);
    },
  };
}
