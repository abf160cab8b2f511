import { useLanguage, useT } from '@/i18n/provider';
import { ConflictDialog, type ConflictField, type Side } from '@/ui/conflict-dialog';
import type { PermissionInfo, Role } from './api';
import { type Draft, draftOf, permissionLabel } from './draft';

interface RoleConflictProps {
  /** What my work started from. */
  base: Role;
  mine: Draft;
  theirs: Role;
  catalogue: readonly PermissionInfo[];
  onClose: () => void;
  onUseTheirs: () => void;
  onSave: (merged: Draft) => void;
}

/** Somebody saved the role meanwhile: mine and theirs, permission by permission. */
export function RoleConflict({ base, mine, theirs, catalogue, ...actions }: RoleConflictProps) {
  const t = useT();
  const { language } = useLanguage();
  const now = draftOf(theirs);
  const before = draftOf(base);
  const texts = (['label', 'name'] as const).map(
    (key): ConflictField => ({
      key,
      label: t.role[key],
      mine: mine[key],
      theirs: now[key],
      touched: mine[key] !== before[key],
    }),
  );
  const word = (has: boolean) => (has ? t.role.has : t.role.hasNot);
  const permissions = catalogue.map(
    (info): ConflictField => ({
      key: info.name,
      label: permissionLabel(info, language),
      mine: word(mine.permissions.has(info.name)),
      theirs: word(now.permissions.has(info.name)),
      touched: mine.permissions.has(info.name) !== before.permissions.has(info.name),
    }),
  );
  return (
    <ConflictDialog
      opened
      fields={[...texts, ...permissions].filter((field) => field.mine !== field.theirs)}
      onClose={actions.onClose}
      onUseTheirs={actions.onUseTheirs}
      onSave={(choice) => actions.onSave(merge(mine, now, choice))}
    />
  );
}

/** Theirs, with mine where mine was chosen. Fields on which both agree are in both. */
export function merge(mine: Draft, theirs: Draft, choice: Record<string, Side>): Draft {
  const differing = [...new Set([...mine.permissions, ...theirs.permissions])];
  return {
    name: choice.name === 'mine' ? mine.name : theirs.name,
    label: choice.label === 'mine' ? mine.label : theirs.label,
    permissions: new Set(
      differing.filter((name) => (choice[name] === 'mine' ? mine : theirs).permissions.has(name)),
    ),
  };
}
