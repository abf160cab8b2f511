import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { SessionList } from '@/entities/session/session-list';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import { type User, userSessionsQuery } from './api';

export function UserSessions({ user }: { user: User }) {
  const t = useT();
  const { data, error, refetch } = useQuery(userSessionsQuery(user.id));
  if (error && !data) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={48} />;
  if (data.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t.session.none}
      </Text>
    );
  }
  return <SessionList label={t.user.sessionsOf(user.name)} sessions={data} />;
}
