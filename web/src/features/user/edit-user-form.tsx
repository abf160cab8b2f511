import { Button, Card, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { currentOf } from '@/api/error';
import { useT } from '@/i18n/provider';
import { clashes } from '@/lib/three-way';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { type User, updateUser, userKeys } from './api';
import { UserConflict } from './user-conflict';
import { UserFields } from './user-fields';
import { changeOf, hasChanges, type UserValues, userSchema, valuesOf } from './user-values';

/**
 * Changes an account. Only changed fields are sent. When somebody else saved in the meantime, each field that both sides
 * give a value is asked about; where there is none, it is saved on top of theirs without a question.
 */
export function EditUserForm({ user }: { user: User }) {
  const t = useT();
  const queryClient = useQueryClient();
  /** The record that the form's changes are counted from. */
  const base = useRef(user);
  const [conflict, setConflict] = useState<{ before: UserValues; current: User } | null>(null);
  const roleRequired = user.status === 'ACTIVE';
  const form = useLiveForm<UserValues>(valuesOf(user), userSchema(t, { roleRequired }));

  const save = async (values: UserValues): Promise<User> => {
    const change = changeOf(base.current, values);
    if (!hasChanges(change)) return base.current;
    try {
      return await updateUser(change);
    } catch (failure) {
      const theirs = currentOf<User>(failure);
      if (!theirs || clashes(valuesOf(base.current), values, valuesOf(theirs)).length > 0) throw failure;
      return updateUser({ ...change, version: theirs.version });
    }
  };
  const startFrom = (record: User, values = valuesOf(record)) => {
    base.current = record;
    form.setInitialValues(valuesOf(record));
    form.setValues(values);
    form.clearErrors();
  };
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: save,
    onSuccess: (changed) => {
      showDone(changed === base.current ? t.user.unchanged : t.user.saved(changed.name));
      startFrom(changed);
      queryClient.setQueryData(userKeys.one(changed.id), changed);
      return queryClient.invalidateQueries({ queryKey: userKeys.all });
    },
    onError: (failure) => {
      const current = currentOf<User>(failure);
      if (current) setConflict({ before: valuesOf(base.current), current });
      return current !== null;
    },
  });
  const resolve = (values?: UserValues) => {
    if (!conflict) return;
    startFrom(conflict.current, values);
    setConflict(null);
    if (values) onSubmit();
  };
  const roleHint =
    user.status === 'PENDING' ? t.user.pendingRoleHint : user.roleId ? t.user.roleChangeHint : undefined;
  return (
    <Card withBorder padding="lg">
      <form noValidate onSubmit={onSubmit} aria-label={t.page.userEdit}>
        <UserFields
          form={form}
          roleRequired={roleRequired}
          roleEmptyAllowed={user.roleId === null}
          roleHint={roleHint}
        />
        <Stack mt="lg" gap="sm">
          {error !== null && <ErrorAlert error={error} />}
          <Group gap="xs">
            <Button type="submit" loading={pending}>
              {t.action.save}
            </Button>
            <LinkButton to="/app/user-management" variant="default">
              {t.user.backToList}
            </LinkButton>
          </Group>
        </Stack>
      </form>
      <UserConflict
        conflict={conflict}
        mine={form.values}
        onClose={() => setConflict(null)}
        onUseTheirs={() => resolve()}
        onSave={resolve}
      />
      <UnsavedGuard unsaved={() => form.isDirty()} />
    </Card>
  );
}
