import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useT } from '@/i18n/provider';

/** Pages shown after the session ended, when nothing can be saved any more. */
const SESSION_PAGES = ['/login', '/app/change-password'];

interface UnsavedGuardProps {
  unsaved: () => boolean;
  /** For forms selected by search parameters: reports whether a change of them leaves the form. */
  leaves?: (from: object, to: object) => boolean;
}

/**
 * Asks before unsaved changes are lost by a link, Back, a reload or a closed tab. `unsaved` is evaluated at that
 * moment, so that a form that was just saved does not block.
 */
export function UnsavedGuard({ unsaved, leaves = () => false }: UnsavedGuardProps) {
  const t = useT();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      unsaved() &&
      !SESSION_PAGES.includes(next.pathname) &&
      (next.pathname !== current.pathname || leaves(current.search, next.search)),
    enableBeforeUnload: unsaved,
    withResolver: true,
  });
  return (
    <Modal
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title={t.unsaved.title}
      centered
    >
      <Text size="sm">{t.unsaved.text}</Text>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={() => blocker.proceed?.()}>
          {t.unsaved.leave}
        </Button>
        <Button onClick={() => blocker.reset?.()} data-autofocus>
          {t.unsaved.stay}
        </Button>
      </Group>
    </Modal>
  );
}
