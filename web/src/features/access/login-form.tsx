import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError } from '@/api/error';
import { useT } from '@/i18n/provider';
import type { Messages } from '@/i18n/th';
import { ErrorAlert } from '@/ui/error-alert';
import { focusOnMount } from '@/ui/on-mount';
import { PasswordField } from '@/ui/password-field';
import { TextLink } from '@/ui/text-link';
import { useFormSubmit } from '@/ui/use-form-submit';
import { type Credentials, login, type SignedIn } from './api';

interface LoginFormProps {
  /** Why the user was sent here, for example an expired session. */
  notice?: string;
  /** The form stays busy until the returned promise settles. */
  onSignedIn: (answer: SignedIn) => Promise<unknown>;
}

export function LoginForm({ notice, onSignedIn }: LoginFormProps) {
  const t = useT();
  const [otpNeeded, setOtpNeeded] = useState(false);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { username: '', password: '', otp: '' },
    validate: (values) => faults(t, values, otpNeeded),
  });
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: ({ username, password, otp }) =>
      login({ username: username.trim(), password, ...(otpNeeded && { otp: otp.trim() }) }),
    onSuccess: onSignedIn,
    onError: (failure) => {
      const firstPrompt = !otpNeeded && failure instanceof ApiError && failure.code === 'OTP_REQUIRED';
      if (firstPrompt) setOtpNeeded(true);
      return firstPrompt;
    },
  });
  return (
    <form noValidate onSubmit={onSubmit} aria-label={t.login.title}>
      <Stack gap="md">
        {error ? (
          <ErrorAlert error={error} />
        ) : (
          notice && (
            <Alert role="status" color="gray" icon={<IconInfoCircle aria-hidden />} p="sm">
              {notice}
            </Alert>
          )
        )}
        <TextInput
          label={t.login.username}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          ref={focusOnMount}
          key={form.key('username')}
          {...form.getInputProps('username')}
        />
        <PasswordField
          label={t.login.password}
          autoComplete="current-password"
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        {otpNeeded && (
          <TextInput
            label={t.login.otp}
            description={t.login.otpHint}
            autoComplete="one-time-code"
            inputMode="numeric"
            maxLength={6}
            ref={focusOnMount}
            key={form.key('otp')}
            {...form.getInputProps('otp')}
          />
        )}
        <Button type="submit" loading={pending} fullWidth size="md">
          {t.login.submit}
        </Button>
        <Group justify="space-between" gap="xs">
          <TextLink to="/forgot-password" size="sm">
            {t.login.forgot}
          </TextLink>
          <TextLink to="/register" size="sm">
            {t.login.register}
          </TextLink>
        </Group>
      </Stack>
    </form>
  );
}

/** Checked by hand: zod is larger than this page, and signing in needs it for nothing else. */
function faults(t: Messages, { username, password, otp }: Required<Credentials>, otpNeeded: boolean) {
  return {
    username: username.trim() === '' ? t.login.usernameRequired : null,
    password: password === '' ? t.login.passwordRequired : null,
    otp: otpNeeded && !/^\d{6}$/.test(otp.trim()) ? t.login.otpInvalid : null,
  };
}
