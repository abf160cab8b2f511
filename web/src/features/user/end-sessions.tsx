import { Button, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { userKeys } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import { showDone } from '@/ui/toast';
import { useWrite } from '@/ui/use-write';
import { endUserSessions, type User } from './api';
import { UserSessions } from './user-sessions';

/** Lists the user's sessions before ending them. */
export function EndSessions({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useT();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useWrite({
    mutationFn: () => endUserSessions(user.id),
    onSuccess: ({ ended }) => {
      showDone(t.user.sessionsEnded(ended));
      void queryClient.invalidateQueries({ queryKey: userKeys.all });
      onClose();
    },
  });
  return (
    <Stack gap="md">
      <UserSessions user={user} />
      {error && <ErrorAlert error={error} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t.action.back}
        </Button>
        <Button color="red" loading={isPending} onClick={() => mutate()}>
          {t.user.endAllSessions}
        </Button>
      </Group>
    </Stack>
  );
}
