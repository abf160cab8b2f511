import { Alert, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiError } from '@/api/error';
import type { PermissionInfo } from '@/entities/role/api';
import { useLanguage, useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { type Change, ChangeList } from '@/ui/change-list';
import { ErrorAlert } from '@/ui/error-alert';
import type { Permission } from './api';
import { type Draft, permissionChanges, permissionLabel } from './draft';
import classes from './role.module.css';

interface Work {
  /** The saved values; empty for a new role. */
  before: Draft | null;
  draft: Draft;
  catalogue: readonly PermissionInfo[];
  userCount: number;
}

/** The number of changes and of affected users; empty without changes. */
export function changesText(t: Messages, { before, draft, catalogue, userCount }: Work): string {
  const granted = before?.permissions ?? new Set<Permission>();
  const { added, removed } = permissionChanges(granted, draft.permissions, catalogue);
  const renamed = before !== null && (before.name !== draft.name || before.label !== draft.label);
  const changes = [
    added.length > 0 && t.role.addedCount(added.length),
    removed.length > 0 && t.role.removedCount(removed.length),
    renamed && t.role.renamed,
  ].filter((text) => text !== false);
  if (changes.length > 0 && userCount > 0) changes.push(t.role.takesEffect(userCount));
  return changes.join(' · ');
}

interface SaveBarProps extends Work {
  warnings: string[];
  error: unknown;
  children: ReactNode;
}

/** The changes before saving: added and removed permissions by name, and the affected users. */
export function SaveBar({ before, draft, catalogue, userCount, warnings, error, children }: SaveBarProps) {
  const t = useT();
  const { language } = useLanguage();
  const { added, removed } = permissionChanges(
    before?.permissions ?? new Set(),
    draft.permissions,
    catalogue,
  );
  const names = (infos: PermissionInfo[]) => infos.map((info) => permissionLabel(info, language));
  const changes: Change[] = [
    ...(before && before.label !== draft.label
      ? [
          {
            key: 'label',
            label: t.role.label,
            kind: 'value',
            before: before.label,
            after: draft.label,
          } as const,
        ]
      : []),
    ...(before && before.name !== draft.name
      ? [{ key: 'name', label: t.role.name, kind: 'value', before: before.name, after: draft.name } as const]
      : []),
    ...(added.length + removed.length > 0
      ? [
          {
            key: 'permissions',
            label: t.role.permission,
            kind: 'list',
            added: names(added),
            removed: names(removed),
          } as const,
        ]
      : []),
  ];
  return (
    <section className={classes.bar} aria-label={t.role.changes}>
      <Group justify="space-between" gap="xs">
        <div>
          <Text fw={600}>{t.role.changes}</Text>
          <Text size="sm">
            {changesText(t, { before, draft, catalogue, userCount }) || t.role.nothingChanged}
          </Text>
        </div>
        <Group gap="xs">{children}</Group>
      </Group>
      {changes.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard.
        <section className={classes.barChanges} tabIndex={0} aria-label={t.role.changesByName}>
          <ChangeList changes={changes} />
        </section>
      )}
      {warnings.map((warning) => (
        <Alert
          key={warning}
          color="yellow"
          variant="light"
          p="xs"
          mt="xs"
          icon={<IconAlertTriangle aria-hidden />}
        >
          <Text size="sm">{warning}</Text>
        </Alert>
      ))}
      {error !== null && <SaveError error={error} catalogue={catalogue} />}
    </section>
  );
}

/** The error of saving; if the user may not grant permissions, it names them. */
function SaveError({ error, catalogue }: { error: unknown; catalogue: readonly PermissionInfo[] }) {
  const t = useT();
  const { language } = useLanguage();
  const missing =
    error instanceof ApiError && Array.isArray(error.details.missing) ? error.details.missing : [];
  const known = catalogue.filter(({ name }) => missing.includes(name));
  return (
    <div className={classes.barChanges}>
      <ErrorAlert error={error} />
      {known.length > 0 && (
        <>
          <Text size="sm" mt="xs">
            {t.role.missing}
          </Text>
          <List size="sm">
            {known.map((info) => (
              <List.Item key={info.name}>{permissionLabel(info, language)}</List.Item>
            ))}
          </List>
        </>
      )}
    </div>
  );
}
