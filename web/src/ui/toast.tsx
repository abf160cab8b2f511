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

/** Why nothing was done, and what helps; nothing went wrong. */
export function showNotice(message: string): void {
  notifications.show({ color: 'blue', icon: <IconInfoCircle size={18} aria-hidden />, message });
}

/**
 * Stays until it is closed: it may have to be read twice, and its request id written down. `retry` is offered if there
 * was no response.
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
  /** What it is about, where only the last thing done to it can be taken back: an older offer goes when a newer one comes. */
  about?: string;
  message: string;
  undoLabel: string;
  onUndo: () => void;
}

/** The offers that stand, by what they are about. */
const undos = new Map<string, string>();

/** What an offer to undo was about has changed again: it is not offered any more. */
export function dismissUndo(about: string): void {
  const id = undos.get(about);
  if (id) notifications.hide(id);
}

/** Something done that can be taken back for a while. */
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
