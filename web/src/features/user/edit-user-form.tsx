import { Button, Card, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { userKeys } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { textFields } from '@/lib/three-way';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import { showDone } from '@/ui/toast';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import { useLiveForm } from '@/ui/use-live-form';
import { useVersionedForm } from '@/ui/use-versioned-form';
import { type User, updateUser } from './api';
import { UserConflict } from './user-conflict';
import { UserFields } from './user-fields';
import { changeOf, type UserValues, userSchema, valuesOf } from './user-values';

const FIELDS = textFields<UserValues>((values) => values);

/** Changes an account. Only changed fields are sent. */
export function EditUserForm({ user }: { user: User }) {
  const t = useT();
  const queryClient = useQueryClient();
  const roleRequired = user.status === 'ACTIVE';
  const form = useLiveForm<UserValues>(valuesOf(user), userSchema(t, { roleRequired }));
  const { onSubmit, pending, error, conflict } = useVersionedForm(form, {
    record: user,
    valuesOf,
    fields: FIELDS,
    changeOf,
    update: updateUser,
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
