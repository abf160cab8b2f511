import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useT } from '@/i18n/provider';

/** Pages to which somebody is sent because the session ended: nothing can be saved any more. */
const SESSION_PAGES = ['/login', '/app/change-password'];

interface UnsavedGuardProps {
  unsaved: () => boolean;
  /** For work that is chosen by the search part of the address: whether this change of it leaves the work behind. */
  leaves?: (from: object, to: object) => boolean;
}

/**
 * Asks before unsaved work is left behind, by a link, Back, a reload or a closed tab. `unsaved` is asked at that moment,
 * so that a form which has just been saved lets go at once.
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
