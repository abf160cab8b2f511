import { Button, Group, Text } from '@mantine/core';
import { useT } from '@/i18n/provider';
import { type Change, ChangeList } from './change-list';
import { ErrorAlert } from './error-alert';
import print from './print.module.css';
import classes from './save-bar.module.css';

interface SaveBarProps {
  changes: Change[];
  pending: boolean;
  error: unknown;
  /** Another user has saved since. */
  outdated?: boolean;
  onDiscard: () => void;
}

/** The pending changes and the save button, at the end of a form. */
export function SaveBar({ changes, pending, error, outdated, onDiscard }: SaveBarProps) {
  const t = useT();
  return (
    <section
      className={`${classes.bar} ${print.screen}`}
      aria-label={t.saveBar.title}
      data-dirty={changes.length > 0 || undefined}
    >
      <Group justify="space-between" gap="xs">
        <div>
          <Text fw={600}>{t.saveBar.title}</Text>
          <Text size="sm" role="status">
            {changes.length > 0 ? t.saveBar.count(changes.length) : t.saveBar.nothing}
            {changes.length > 0 && outdated && ` · ${t.saveBar.outdated}`}
          </Text>
        </div>
        <Group gap="xs">
          {changes.length > 0 && (
            <Button variant="default" onClick={onDiscard} disabled={pending}>
              {t.saveBar.discard}
            </Button>
          )}
          <Button
            type="submit"
            loading={pending}
            // Remains focusable, so that the focus stays in place after a save.
            aria-disabled={changes.length === 0}
            data-disabled={changes.length === 0 || undefined}
            onClick={(event) => changes.length === 0 && event.preventDefault()}
          >
            {t.action.save}
          </Button>
        </Group>
      </Group>
      {changes.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
        <section className={classes.changes} tabIndex={0} aria-label={t.saveBar.list}>
          <ChangeList changes={changes} />
        </section>
      )}
      {error !== null && (
        <div className={classes.changes}>
          <ErrorAlert error={error} />
        </div>
      )}
    </section>
  );
}
