import { Button, Stack, Text, TextInput } from '@mantine/core';
import { z } from 'zod';
import { useT } from '@/i18n/provider';
import { accountRules, passwordFault } from '@/lib/account-rules';
import { ErrorAlert } from '@/ui/error-alert';
import { PasswordField } from '@/ui/password-field';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { register } from './api';

const EMPTY = { name: '', username: '', email: '', phone: '', password: '', repeat: '' };

/** Requests an account, which an administrator must approve. */
export function RegisterForm({ onSent }: { onSent: (name: string) => void }) {
  const t = useT();
  const { username, email, name, phone } = accountRules(t);
  const form = useLiveForm(
    EMPTY,
    z.object({ username, email, name, phone, password: z.string(), repeat: z.string() }),
    (values) => ({
      password: passwordFault(t, values.password, values.username),
      repeat: values.repeat === values.password ? null : t.password.notRepeated,
    }),
  );
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: (values) =>
      register({
        username: values.username.trim(),
        email: values.email.trim(),
        name: values.name.trim(),
        phone: values.phone.trim(),
        password: values.password,
      }),
    onSuccess: (_, values) => onSent(values.name.trim()),
  });
  return (
    <form noValidate onSubmit={onSubmit} aria-label={t.page.register}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t.account.register.intro}
        </Text>
        <TextInput label={t.account.name} required autoComplete="name" {...form.getInputProps('name')} />
        <TextInput
          label={t.account.username}
          required
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          {...form.getInputProps('username')}
        />
        <TextInput
          label={t.account.email}
          required
          type="email"
          autoComplete="email"
          maxLength={254}
          {...form.getInputProps('email')}
        />
        <TextInput
          label={t.account.phone}
          type="tel"
          autoComplete="tel"
          maxLength={20}
          {...form.getInputProps('phone')}
        />
        <PasswordField
          label={t.account.register.password}
          description={t.password.nextHint}
          required
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <PasswordField
          label={t.account.register.repeat}
          required
          autoComplete="new-password"
          {...form.getInputProps('repeat')}
        />
        {error !== null && <ErrorAlert error={error} />}
        <Button type="submit" loading={pending} fullWidth size="md">
          {t.account.register.submit}
        </Button>
      </Stack>
    </form>
  );
}
