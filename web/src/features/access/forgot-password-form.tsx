import { Button, Stack, Text, TextInput } from '@mantine/core';
import { z } from 'zod';
import { useT } from '@/i18n/provider';
import { accountRules } from '@/lib/account-rules';
import { ErrorAlert } from '@/ui/error-alert';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { forgotPassword } from './api';

/** Requests a link to reset the password. The response does not reveal whether the account exists. */
export function ForgotPasswordForm({ onSent }: { onSent: (email: string) => void }) {
  const t = useT();
  const form = useLiveForm({ email: '' }, z.object({ email: accountRules(t).email }));
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: ({ email }) => forgotPassword(email.trim()),
    onSuccess: (_, { email }) => onSent(email.trim()),
  });
  return (
    <form noValidate onSubmit={onSubmit} aria-label={t.page.forgotPassword}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.account.forgot.intro}
        </Text>
        <TextInput
          label={t.account.email}
          type="email"
          autoComplete="email"
          maxLength={254}
          {...form.getInputProps('email')}
        />
        {error !== null && <ErrorAlert error={error} />}
        <Button type="submit" loading={pending} fullWidth size="md">
          {t.account.forgot.submit}
        </Button>
      </Stack>
    </form>
  );
}
