import { Button, Title } from '@mantine/core';
import { createFileRoute } from '@tanstack/react-router';
import { useState } from 'react';
import { BareMessage } from '@/features/access/bare-message';
import { ForgotPasswordForm } from '@/features/access/forgot-password-form';
import { useT } from '@/i18n/provider';
import { LinkButton } from '@/ui/link-button';
import { TextLink } from '@/ui/text-link';

export const Route = createFileRoute('/_bare/forgot-password')({
  staticData: { title: (t) => t.page.forgotPassword },
  component: ForgotPasswordPage,
});

function ForgotPasswordPage() {
  const t = useT();
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo !== null) {
    return (
      <BareMessage
        title={t.account.forgot.doneTitle}
        actions={
          <>
            <LinkButton to="/login">{t.account.backToLogin}</LinkButton>
            <Button variant="default" onClick={() => setSentTo(null)}>
              {t.account.forgot.again}
            </Button>
          </>
        }
      >
        {t.account.forgot.done(sentTo)}
      </BareMessage>
    );
  }
  return (
    <>
      <Title order={1} mb="sm">
        {t.page.forgotPassword}
      </Title>
      <ForgotPasswordForm onSent={setSentTo} />
      <TextLink to="/login" size="sm" mt="md" display="inline-block">
        {t.account.backToLogin}
      </TextLink>
    </>
  );
}
