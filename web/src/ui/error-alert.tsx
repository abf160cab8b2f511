import { Alert, Button, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { ApiError, errorText, isNetworkError } from '@/api/error';
import { useT } from '@/i18n/provider';

interface ErrorAlertProps {
  error: unknown;
  /** Retries. Required inside a form for every error that is not about submitting it. */
  onRetry?: () => unknown;
}

/** The error, and the request id to find it in the log. */
export function ErrorAlert({ error, onRetry }: ErrorAlertProps) {
  const t = useT();
  const requestId = error instanceof ApiError ? error.requestId : '';
  const [inForm, setInForm] = useState(false);
  const ref = useCallback((node: HTMLElement | null) => setInForm(node?.closest('form') != null), []);
  // In a form, a request without a response is retried by submitting the form again.
  const resubmits = !onRetry && inForm && isNetworkError(error);
  return (
    <Alert ref={ref} role="alert" color="red" variant="light" icon={<IconAlertCircle aria-hidden />} p="sm">
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
