import { Anchor, NativeSelect, type NativeSelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { errorText } from '@/api/error';
import { roleChoicesQuery } from '@/entities/role/api';
import { useT } from '@/i18n/provider';

interface RoleSelectProps extends Omit<NativeSelectProps, 'value' | 'onChange' | 'data'> {
  /** An id as text, '' for none. */
  value?: string;
  onChange: (roleId: string) => void;
  /** The text of the empty option. */
  emptyLabel?: string;
  /** False if a role cannot be removed again. */
  emptyAllowed?: boolean;
}

export function RoleSelect({ value, onChange, emptyLabel, emptyAllowed = true, ...props }: RoleSelectProps) {
  const t = useT();
  const { data: roles = [], isLoadingError, error, refetch } = useQuery(roleChoicesQuery);
  // Takes precedence over the field's error: without roles there is nothing to choose.
  const missing = isLoadingError && (
    <>
      {errorText(t, error)}{' '}
      <Anchor component="button" type="button" size="xs" onClick={() => void refetch()}>
        {t.error.retry}
      </Anchor>
    </>
  );
  return (
    <NativeSelect
      {...props}
      error={missing || props.error}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {(emptyAllowed || value === '') && <option value="">{emptyLabel ?? t.user.chooseRole}</option>}
      {roles.map((role) => (
        <option key={role.id} value={String(role.id)}>
          {role.label}
        </option>
      ))}
    </NativeSelect>
  );
}
