import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { putRecord } from '@/api/put-record';
import { userKeys } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import { showDone } from '@/ui/toast';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { type User, updateUser } from './api';
import { RoleSelect } from './role-select';

/** Approves an account by assigning a role. */
export function ApproveForm({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useT();
  const queryClient = useQueryClient();
  const form = useLiveForm({ roleId: '' }, z.object({ roleId: z.string().min(1, t.account.rule.role) }));
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: ({ roleId }) =>
      updateUser({ id: user.id, version: user.version, roleId: Number(roleId), status: 'ACTIVE' }),
    onSuccess: (now) => {
      putRecord(queryClient, userKeys.all, now);
      void queryClient.invalidateQueries({ queryKey: userKeys.all });
      showDone(t.user.approved(user.name));
      onClose();
    },
  });
  return (
    <form noValidate onSubmit={onSubmit} aria-label={t.user.approveNamed(user.name)}>
      <Stack gap="md">
        <Text size="sm">{t.user.approveText(user.name)}</Text>
        <RoleSelect label={t.account.role} required data-autofocus {...form.getInputProps('roleId')} />
        {error !== null && <ErrorAlert error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t.action.back}
          </Button>
          <Button type="submit" loading={pending}>
            {t.user.approve}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
