import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SessionList } from '@/entities/session/session-list';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import { showDone, showFailure } from '@/ui/toast';
import { useWrite } from '@/ui/use-write';
import { endOwnSession, ownSessionsQuery } from './api';

/** The user's own sessions, with buttons to end one or all others. */
export function OwnSessions() {
  const t = useT();
  const queryClient = useQueryClient();
  const { data: sessions, error, refetch } = useQuery(ownSessionsQuery);
  const end = useWrite({
    mutationFn: (ids: string[]) => Promise.all(ids.map(endOwnSession)),
    onSuccess: (_, ids) =>
      showDone(ids.length === 1 ? t.account.profile.endedOne : t.account.profile.endedOthers(ids.length)),
    onError: (failure) => showFailure(t, failure),
    onSettled: () => queryClient.invalidateQueries(ownSessionsQuery),
  });
  if (error && !sessions) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!sessions) return <Skeleton h={96} />;
  const others = sessions.filter(({ current }) => !current);
  return (
    <Stack gap="xs" align="stretch">
      <Text size="sm" c="dimmed">
        {t.account.profile.sessionsNote}
      </Text>
      <SessionList
        label={t.account.profile.sessions}
        sessions={sessions}
        ending={end.isPending}
        onEnd={({ id }) => end.mutate([id])}
      />
      {others.length > 0 && (
        <Button
          variant="default"
          w="fit-content"
          loading={end.isPending}
          onClick={() => end.mutate(others.map(({ id }) => id))}
        >
          {t.account.profile.endOthers}
        </Button>
      )}
    </Stack>
  );
}
