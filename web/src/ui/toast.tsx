import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertCircle, IconCheck, IconInfoCircle } from '@tabler/icons-react';
import { ApiError, errorText, isNetworkError } from '@/api/error';
import type { Messages } from '@/i18n/th';

const UNDO_MS = 10_000;

/** Notifications are live regions: screen readers read them out. */
export function showDone(message: string): void {
  notifications.show({ color: 'green', icon: <IconCheck size={18} aria-hidden />, message });
}

/** Explains why nothing was done; not an error. */
export function showNotice(message: string): void {
  notifications.show({ color: 'blue', icon: <IconInfoCircle size={18} aria-hidden />, message });
}

/**
 * Shows an error until it is closed, so that the user can copy its request id. `retry` is offered if there was no
 * response.
 */
export function showFailure(t: Messages, error: unknown, retry?: () => void): void {
  const requestId = error instanceof ApiError ? error.requestId : '';
  const id = notifications.show({
    color: 'red',
    icon: <IconAlertCircle size={18} aria-hidden />,
    autoClose: false,
    message: (
      <>
        <Text size="sm">{errorText(t, error)}</Text>
        {requestId && (
          <Text size="xs" c="dimmed">
            {t.error.requestId(requestId)}
          </Text>
        )}
        {retry && isNetworkError(error) && (
          <Button
            variant="default"
            size="compact-sm"
            mt="xs"
            onClick={() => {
              notifications.hide(id);
              retry();
            }}
          >
            {t.error.retry}
          </Button>
        )}
      </>
    ),
  });
}

interface Undo {
  /** The subject of the undo. A newer toast about the same subject replaces the older one. */
  about?: string;
  message: string;
  undoLabel: string;
  onUndo: () => void;
}

/** The open undo toasts by subject. */
const undos = new Map<string, string>();

/** Closes the undo toast of a subject that was changed again. */
export function dismissUndo(about: string): void {
  const id = undos.get(about);
  if (id) notifications.hide(id);
}

/** Shows a completed action that can be undone for a while. */
export function showUndo({ about, message, undoLabel, onUndo }: Undo): void {
  if (about) dismissUndo(about);
  const id = notifications.show({
    color: 'green',
    icon: <IconCheck size={18} aria-hidden />,
    autoClose: UNDO_MS,
    onClose: () => {
      if (about && undos.get(about) === id) undos.delete(about);
    },
    message: (
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          variant="default"
          size="compact-sm"
          flex="none"
          onClick={() => {
            notifications.hide(id);
            onUndo();
          }}
        >
          {undoLabel}
        </Button>
      </Group>
    ),
  });
  if (about) undos.set(about, id);
}
