import { Button, Stack, Text } from '@mantine/core';
import { z } from 'zod';
import { ApiError } from '@/api/error';
import { useT } from '@/i18n/provider';
import { passwordFault } from '@/lib/account-rules';
import { ErrorAlert } from '@/ui/error-alert';
import { PasswordField } from '@/ui/password-field';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { resetPassword } from './api';

interface ResetPasswordFormProps {
  token: string;
  onReset: () => Promise<unknown>;
  /** The link was used, has expired or never existed. */
  onInvalidLink: () => void;
}

/** Sets a new password with a link. */
export function ResetPasswordForm({ token, onReset, onInvalidLink }: ResetPasswordFormProps) {
  const t = useT();
  const form = useLiveForm(
    { password: '', repeat: '' },
    z.object({ password: z.string(), repeat: z.string() }),
    ({ password, repeat }) => ({
      password: passwordFault(t, password, ''),
      repeat: repeat === password ? null : t.password.notRepeated,
    }),
  );
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: ({ password }) => resetPassword({ token, password }),
    onSuccess: onReset,
    onError: (failure) => {
      const invalid = failure instanceof ApiError && failure.fields.some(({ field }) => field === 'token');
      if (invalid) onInvalidLink();
      return invalid;
    },
  });
  return (
    <form noValidate onSubmit={onSubmit} aria-label={t.page.resetPassword}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.account.reset.intro}
        </Text>
        <PasswordField
          label={t.password.next}
          description={t.password.nextHint}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <PasswordField
          label={t.password.repeat}
          autoComplete="new-password"
          {...form.getInputProps('repeat')}
        />
        {error !== null && <ErrorAlert error={error} />}
        <Button type="submit" loading={pending} fullWidth size="md">
          {t.password.submit}
        </Button>
      </Stack>
    </form>
  );
}
