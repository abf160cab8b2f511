import { Button, Group, Text } from '@mantine/core';
import { IconShieldCheck, IconShieldOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { StatusBadge } from '@/ui/status-badge';
import { showDone } from '@/ui/toast';
import type { TotpSetup } from './api';
import { DisableTotpForm, EnableTotpForm, SetUpTotpForm } from './totp-forms';

type Step = { at: 'rest' } | { at: 'password' } | { at: 'code'; setup: TotpSetup } | { at: 'disable' };

/** One-time codes: off → password → QR code and a code from it → on; switched off with password and code. */
export function TotpCard({ enabled }: { enabled: boolean }) {
  const t = useT();
  const queryClient = useQueryClient();
  const [step, setStep] = useState<Step>({ at: 'rest' });
  const rest = () => setStep({ at: 'rest' });
  const finish = async (message: string) => {
    showDone(message);
    await queryClient.invalidateQueries(meQuery);
    rest();
  };
  return (
    <>
      <Group gap="xs" mb="xs">
        <StatusBadge icon={enabled ? IconShieldCheck : IconShieldOff} color={enabled ? 'green' : 'gray'}>
          {enabled ? t.account.totp.on : t.account.totp.off}
        </StatusBadge>
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {step.at === 'disable' ? t.account.totp.disableNote : t.account.totp.explain}
      </Text>
      {step.at === 'rest' && !enabled && (
        <Button w="fit-content" onClick={() => setStep({ at: 'password' })}>
          {t.account.totp.start}
        </Button>
      )}
      {step.at === 'rest' && enabled && (
        <Button w="fit-content" variant="default" onClick={() => setStep({ at: 'disable' })}>
          {t.account.totp.disable}
        </Button>
      )}
      {step.at === 'password' && (
        <SetUpTotpForm onSetUp={(setup) => setStep({ at: 'code', setup })} onCancel={rest} />
      )}
      {step.at === 'code' && (
        <EnableTotpForm setup={step.setup} onEnabled={() => finish(t.account.totp.enabled)} onCancel={rest} />
      )}
      {step.at === 'disable' && (
        <DisableTotpForm onDisabled={() => finish(t.account.totp.disabled)} onCancel={rest} />
      )}
    </>
  );
}
