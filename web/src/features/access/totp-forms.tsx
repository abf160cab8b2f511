import { Button, Group, Stack, Text, TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { z } from 'zod';
import { useT } from '@/i18n/provider';
import { CopyField } from '@/ui/copy-field';
import { ErrorAlert } from '@/ui/error-alert';
import { focusOnMount } from '@/ui/on-mount';
import { PasswordField } from '@/ui/password-field';
import { useFormSubmit } from '@/ui/use-form-submit';
import { useLiveForm } from '@/ui/use-live-form';
import { disableTotp, enableTotp, setUpTotp, type TotpSetup } from './api';
import { QrCode } from './qr-code';

const otpRule = (message: string) =>
  z
    .string()
    .trim()
    .regex(/^\d{6}$/, message);

/** Asks for the password first, so that an unattended browser cannot be used to take over the account. */
export function SetUpTotpForm({
  onSetUp,
  onCancel,
}: {
  onSetUp: (setup: TotpSetup) => void;
  onCancel: () => void;
}) {
  const t = useT();
  const form = useLiveForm(
    { password: '' },
    z.object({ password: z.string().min(1, t.account.rule.password) }),
  );
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: ({ password }) => setUpTotp(password),
    onSuccess: onSetUp,
  });
  return (
    <form noValidate onSubmit={onSubmit} aria-label={t.account.totp.start}>
      <Stack gap="sm" maw={360}>
        <PasswordField
          label={t.account.totp.password}
          autoComplete="current-password"
          ref={focusOnMount}
          {...form.getInputProps('password')}
        />
        <Buttons error={error} onCancel={onCancel}>
          <Button type="submit" loading={pending}>
            {t.account.totp.next}
          </Button>
        </Buttons>
      </Stack>
    </form>
  );
}

export function EnableTotpForm({
  setup,
  onEnabled,
  onCancel,
}: {
  setup: TotpSetup;
  onEnabled: () => Promise<unknown>;
  onCancel: () => void;
}) {
  const t = useT();
  const form = useLiveForm({ otp: '' }, z.object({ otp: otpRule(t.account.rule.otp) }));
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: ({ otp }) => enableTotp(otp.trim()),
    onSuccess: onEnabled,
  });
  return (
    <form noValidate onSubmit={onSubmit} aria-label={t.account.totp.start}>
      <Stack gap="sm">
        <Text size="sm">{t.account.totp.scan}</Text>
        <QrCode text={setup.uri} label={t.account.totp.qr} />
        <CopyField label={t.account.totp.secret} value={setup.secret} />
        <OtpInput ref={focusOnMount} {...form.getInputProps('otp')} />
        <Buttons error={error} onCancel={onCancel}>
          <Button type="submit" loading={pending}>
            {t.account.totp.enable}
          </Button>
        </Buttons>
      </Stack>
    </form>
  );
}

export function DisableTotpForm({
  onDisabled,
  onCancel,
}: {
  onDisabled: () => Promise<unknown>;
  onCancel: () => void;
}) {
  const t = useT();
  const form = useLiveForm(
    { password: '', otp: '' },
    z.object({ password: z.string().min(1, t.account.rule.password), otp: otpRule(t.account.rule.otp) }),
  );
  const { onSubmit, pending, error } = useFormSubmit(form, {
    send: ({ password, otp }) => disableTotp({ password, otp: otp.trim() }),
    onSuccess: onDisabled,
  });
  return (
    <form noValidate onSubmit={onSubmit} aria-label={t.account.totp.disable}>
      <Stack gap="sm" maw={360}>
        <PasswordField
          label={t.account.totp.password}
          autoComplete="current-password"
          ref={focusOnMount}
          {...form.getInputProps('password')}
        />
        <OtpInput {...form.getInputProps('otp')} />
        <Buttons error={error} onCancel={onCancel}>
          <Button type="submit" color="red" loading={pending}>
            {t.account.totp.disable}
          </Button>
        </Buttons>
      </Stack>
    </form>
  );
}

function OtpInput(props: TextInputProps) {
  const t = useT();
  return (
    <TextInput
      label={t.account.totp.otp}
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={6}
      maw={220}
      {...props}
    />
  );
}

function Buttons({
  error,
  onCancel,
  children,
}: {
  error: unknown;
  onCancel: () => void;
  children: ReactNode;
}) {
  const t = useT();
  return (
    <>
      {error !== null && <ErrorAlert error={error} />}
      <Group gap="xs">
        {children}
        <Button variant="default" onClick={onCancel}>
          {t.action.back}
        </Button>
      </Group>
    </>
  );
}
