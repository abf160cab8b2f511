import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { actorName } from '@/lib/actor-name';
import { ErrorAlert } from '@/ui/error-alert';
import { RelativeTime } from '@/ui/relative-time';
import { userActivityQuery } from './api';

/** The last entries of the audit log about the account. */
export function UserActivity({ userId }: { userId: number }) {
  const t = useT();
  const { data, error, refetch } = useQuery(userActivityQuery(userId));
  if (error && !data) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={120} />;
  if (data.items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t.user.noActivity}
      </Text>
    );
  }
  return (
    <Stack component="ul" gap={6} m={0} p={0} style={{ listStyle: 'none' }} aria-label={t.user.activity}>
      {data.items.map((entry) => (
        <li key={entry.id}>
          <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
            <Text size="sm">
              {actionName(t, entry.action)}
              {entry.outcome !== 'OK' && ` (${t.user.outcomes[entry.outcome]})`}
              <Text span size="xs" c="dimmed" display="block">
                {t.user.by(actorName(t, entry))}
              </Text>
            </Text>
            <Text size="xs" c="dimmed" flex="none">
              <RelativeTime at={entry.at} />
            </Text>
          </Group>
        </li>
      ))}
    </Stack>
  );
}

function actionName(t: Messages, action: string): string {
  const names: Partial<Record<string, string>> = t.user.activityActions;
  return names[action] ?? action;
}
