import { Button, Card, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { userKeys } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { clashes, withTheirs } from '@/lib/three-way';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useLiveForm } from '@/ui/use-live-form';
import { useVersionedSave } from '@/ui/use-versioned-save';
import { type User, updateUser } from './api';
import { UserConflict } from './user-conflict';
import { UserFields } from './user-fields';
import { changeOf, type UserValues, userSchema, valuesOf } from './user-values';

/**
 * Changes an account. Only changed fields are sent. When somebody else saved in the meantime, each field that both sides
 * give a value is asked about; where there is none, it is saved on top of theirs without a question.
 */
export function EditUserForm({ user }: { user: User }) {
  const t = useT();
  const queryClient = useQueryClient();
  const roleRequired = user.status === 'ACTIVE';
  const form = useLiveForm<UserValues>(valuesOf(user), userSchema(t, { roleRequired }));
  const { onSubmit, pending, error, conflict } = useVersionedSave(form, {
    record: user,
    valuesOf,
    changeOf,
    update: updateUser,
    clashing: clashes,
    merge: withTheirs,
    onSaved: (saved, change) => {
      showDone(change ? t.user.saved(saved.name) : t.user.unchanged);
      queryClient.setQueryData(userKeys.one(saved.id), saved);
      return queryClient.invalidateQueries({ queryKey: userKeys.all });
    },
  });
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
      <UserConflict conflict={conflict} />
      <UnsavedGuard unsaved={() => form.isDirty()} />
    </Card>
  );
}
