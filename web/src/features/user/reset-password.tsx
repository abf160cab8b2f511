import { Button, Group, Radio, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { userKeys } from '@/entities/user/api';
import { useT } from '@/i18n/provider';
import { passwordFault } from '@/lib/account-rules';
import { ErrorAlert } from '@/ui/error-alert';
import { showDone } from '@/ui/toast';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { makeResetLink, type ResetLink, type User, updateUser } from './api';
import { PasswordLink } from './password-link';
import { TemporaryPassword } from './temporary-password';

type Method = 'link' | 'temporary';

/** Two ways to a new password: a link to set one, or a temporary one that must be changed. */
export function ResetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const t = useT();
  const queryClient = useQueryClient();
  const [link, setLink] = useState<ResetLink | null>(null);
  const form = useLiveForm(
    { way: 'link' as Method, password: '' },
    z.object({ way: z.enum(['link', 'temporary']), password: z.string() }),
    ({ way, password }) => ({
      password: way === 'temporary' ? passwordFault(t, password, user.username) : null,
    }),
  );
  const { way } = form.values;
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: async ({ way, password }) => {
      if (way === 'link') return makeResetLink(user.id);
      await updateUser({ id: user.id, version: user.version, password });
      return null;
    },
    onSuccess: (made) => {
      void queryClient.invalidateQueries({ queryKey: userKeys.all });
      if (made) return setLink(made);
      showDone(t.user.temporarySet(user.name));
      onClose();
    },
  });
  if (link) {
    return (
      <Stack gap="md">
        <PasswordLink link={link} name={user.name} email={user.email} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.user.done}</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form noValidate onSubmit={onSubmit} aria-label={t.user.resetPasswordOf(user.name)}>
      <Stack gap="md">
        <Radio.Group
          label={t.user.resetBy}
          value={way}
          onChange={(chosen) => form.setFieldValue('way', chosen === 'link' ? 'link' : 'temporary')}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="link" label={t.user.sendLink} description={t.user.sendLinkHint} data-autofocus />
            <Radio value="temporary" label={t.user.setTemporary} description={t.user.setTemporaryHint} />
          </Stack>
        </Radio.Group>
        {way === 'temporary' && (
          <TemporaryPassword label={t.user.temporaryPassword} {...form.getInputProps('password')} />
        )}
        {error !== null && <ErrorAlert error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t.action.back}
          </Button>
          <Button type="submit" loading={pending}>
            {way === 'link' ? t.user.makeLink : t.user.setTemporary}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
