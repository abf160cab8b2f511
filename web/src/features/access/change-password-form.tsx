import { Button, Stack } from '@mantine/core';
import { z } from 'zod';
import { useT } from '@/i18n/provider';
import { passwordFault } from '@/lib/account-rules';
import { ErrorAlert } from '@/ui/error-alert';
import { PasswordField } from '@/ui/password-field';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { changePassword } from './api';

interface ChangePasswordFormProps {
  username: string;
  onChanged: () => Promise<unknown>;
}

export function ChangePasswordForm({ username, onChanged }: ChangePasswordFormProps) {
  const t = useT();
  const form = useLiveForm(
    { currentPassword: '', newPassword: '', repeat: '' },
    z.object({
      currentPassword: z.string().min(1, t.password.currentRequired),
      newPassword: z.string(),
      repeat: z.string(),
    }),
    ({ currentPassword, newPassword, repeat }) => ({
      newPassword:
        passwordFault(t, newPassword, username) ??
        (newPassword === currentPassword ? t.password.sameAsCurrent : null),
      repeat: repeat === newPassword ? null : t.password.notRepeated,
    }),
  );
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: ({ currentPassword, newPassword }) => changePassword({ currentPassword, newPassword }),
    onSuccess: onChanged,
  });
  return (
    <form noValidate onSubmit={onSubmit} aria-label={t.page.changePassword}>
      <Stack gap="md">
        {error !== null && <ErrorAlert error={error} />}
        {/* Lets password managers store the new password for the right account. */}
        <input type="text" autoComplete="username" value={username} readOnly hidden />
        <PasswordField
          label={t.password.current}
          autoComplete="current-password"
          {...form.getInputProps('currentPassword')}
        />
        <PasswordField
          label={t.password.next}
          description={t.password.nextHint}
          autoComplete="new-password"
          {...form.getInputProps('newPassword')}
        />
        <PasswordField
          label={t.password.repeat}
          autoComplete="new-password"
          {...form.getInputProps('repeat')}
        />
        <Button type="submit" loading={pending} fullWidth size="md">
          {t.password.submit}
        </Button>
      </Stack>
    </form>
  );
}
