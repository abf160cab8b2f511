import { Alert, Button, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError, errorText, isUnanswered } from '@/api/error';
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
  const [inForm, setInForm] = useState(false);
  // A form that got no answer is sent again as it is.
  const resubmits = !onRetry && inForm && isUnanswered(error);
  return (
    <Alert
      ref={(node) => setInForm(node?.closest('form') != null)}
      role="alert"
      color="red"
      variant="light"
      icon={<IconAlertCircle aria-hidden />}
      p="sm"
    >
      <Text size="sm" c="var(--mantine-color-red-light-color)">
        {errorText(t, error)}
      </Text>
      {requestId && (
        <Text size="xs" c="var(--mantine-color-red-light-color)">
          {t.error.requestId(requestId)}
        </Text>
      )}
      {(onRetry || resubmits) && (
        <Button
          variant="default"
          size="compact-sm"
          mt="xs"
          type={resubmits ? 'submit' : 'button'}
          onClick={() => void onRetry?.()}
        >
          {t.error.retry}
        </Button>
      )}
    </Alert>
  );
}
