import { Alert, Button, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { ApiError, errorText } from '@/api/error';
import { useT } from '@/i18n/provider';

interface ErrorAlertProps {
  error: unknown;
  /** For what failed to load: asks again. */
  onRetry?: () => unknown;
}

/** What went wrong, and the request id with which support finds it in the log. */
export function ErrorAlert({ error, onRetry }: ErrorAlertProps) {
  const t = useT();
  const requestId = error instanceof ApiError ? error.requestId : '';
  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertCircle aria-hidden />} p="sm">
      <Text size="sm" c="var(--mantine-color-red-light-color)">
        {errorText(t, error)}
      </Text>
      {requestId && (
        <Text size="xs" c="var(--mantine-color-red-light-color)">
          {t.error.requestId(requestId)}
        </Text>
      )}
      {onRetry && (
        <Button variant="default" size="compact-sm" mt="xs" onClick={() => void onRetry()}>
          {t.error.retry}
        </Button>
      )}
    </Alert>
  );
}
