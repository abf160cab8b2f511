import { useQuery } from '@tanstack/react-query';
import { roleChoicesQuery } from '@/entities/role/api';
import { useT } from '@/i18n/provider';
import { RecordConflict } from '@/ui/record-conflict';
import type { Conflict } from '@/ui/use-versioned-save';
import type { User } from './api';
import type { UserValues } from './user-values';

export function UserConflict({ conflict }: { conflict: Conflict<User, UserValues> | null }) {
  const t = useT();
  const { data: roles = [] } = useQuery(roleChoicesQuery);
  const { username, email, name, phone, position, licenseNo, role } = t.account;
  const labels: Record<string, string> = { username, email, name, phone, position, licenseNo, roleId: role };
  const roleText = (id: string) => roles.find((one) => String(one.id) === id)?.label ?? t.account.noRole;
  return (
    <RecordConflict
      conflict={conflict}
      label={(field) => labels[field] ?? field}
      textsOf={({ roleId, ...texts }) => ({ ...texts, roleId: roleText(roleId) })}
    />
  );
}
