import { Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { userKeys } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { Confirm } from '@/ui/confirm';
import { showDone } from '@/ui/toast';
import { deleteUser } from './api';
import { ApproveForm } from './approve-form';
import { EndSessions } from './end-sessions';
import { ResetPassword } from './reset-password';
import type { UserActions } from './use-user-actions';

interface UserDialogsProps {
  actions: UserActions;
  /** Called after the account was deleted. The lists are refetched automatically. */
  onDeleted?: () => void;
}

export function UserDialogs({ actions, onDeleted }: UserDialogsProps) {
  const t = useT();
  const queryClient = useQueryClient();
  const { approve, resetPassword, sessions, remove } = actions;
  const deleteSubject = async () => {
    if (!remove.subject) return;
    await deleteUser(remove.subject.id);
    showDone(t.user.deleted(remove.subject.name));
    onDeleted?.();
    void queryClient.invalidateQueries({ queryKey: userKeys.all });
  };
  return (
    <>
      <Modal
        opened={approve.opened}
        onClose={approve.close}
        title={t.user.approveNamed(approve.subject?.name ?? '')}
        centered
        returnFocus={false}
      >
        {approve.subject && <ApproveForm user={approve.subject} onClose={approve.close} />}
      </Modal>
      <Modal
        opened={resetPassword.opened}
        onClose={resetPassword.close}
        title={t.user.resetPasswordOf(resetPassword.subject?.name ?? '')}
        centered
        returnFocus={false}
      >
        {resetPassword.subject && (
          <ResetPassword user={resetPassword.subject} onClose={resetPassword.close} />
        )}
      </Modal>
      <Modal
        opened={sessions.opened}
        onClose={sessions.close}
        title={t.user.sessionsOf(sessions.subject?.name ?? '')}
        size="lg"
        centered
        returnFocus={false}
      >
        {sessions.subject && <EndSessions user={sessions.subject} onClose={sessions.close} />}
      </Modal>
      <Confirm
        opened={remove.opened}
        onClose={remove.close}
        title={t.user.deleteTitle(remove.subject?.name ?? '')}
        confirmLabel={t.user.delete}
        danger
        onConfirm={deleteSubject}
      >
        <Text size="sm">{t.user.deleteText(remove.subject?.name ?? '', remove.subject?.username ?? '')}</Text>
      </Confirm>
    </>
  );
}
