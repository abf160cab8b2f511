import { useQuery } from '@tanstack/react-query';
import { useT } from '@/i18n/provider';
import { clashes } from '@/lib/three-way';
import { ConflictDialog, type Side } from '@/ui/conflict-dialog';
import { roleChoicesQuery, type User } from './api';
import { type UserValues, valuesOf } from './user-values';

interface UserConflictProps {
  /** What the form started from, and what somebody else has saved since. */
  conflict: { before: UserValues; current: User } | null;
  mine: UserValues;
  onClose: () => void;
  onUseTheirs: () => void;
  onSave: (values: UserValues) => void;
}

export function UserConflict({ conflict, mine, onClose, onUseTheirs, onSave }: UserConflictProps) {
  const t = useT();
  const { data: roles = [] } = useQuery(roleChoicesQuery);
  const theirs = conflict ? valuesOf(conflict.current) : mine;
  const before = conflict?.before ?? mine;
  const fields = clashes(before, mine, theirs);
  const { username, email, name, phone, position, licenseNo, role } = t.account;
  const labels: Record<string, string> = { username, email, name, phone, position, licenseNo, roleId: role };
  const shown = (field: string, values: UserValues) =>
    field === 'roleId'
      ? (roles.find((role) => String(role.id) === values.roleId)?.label ?? t.account.noRole)
      : String(values[field]);
  const save = (choice: Record<string, Side>) => {
    const taken = fields.filter((field) => choice[field] === 'theirs');
    onSave({ ...mine, ...Object.fromEntries(taken.map((field) => [field, theirs[field]])) });
  };
  return (
    <ConflictDialog
      opened={conflict !== null}
      fields={fields.map((field) => ({
        key: field,
        label: labels[field] ?? field,
        mine: shown(field, mine),
        theirs: shown(field, theirs),
        touched: mine[field] !== before[field],
      }))}
      onClose={onClose}
      onUseTheirs={onUseTheirs}
      onSave={save}
    />
  );
}
