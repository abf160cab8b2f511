import { Title } from '@mantine/core';
import { createFileRoute } from '@tanstack/react-router';
import { useState } from 'react';
import { BareMessage } from '@/features/access/bare-message';
import { RegisterForm } from '@/features/access/register-form';
import { useT } from '@/i18n/provider';
import { LinkButton } from '@/ui/link-button';
import { TextLink } from '@/ui/text-link';

export const Route = createFileRoute('/_bare/register')({
  staticData: { title: (t) => t.page.register },
  component: RegisterPage,
});

function RegisterPage() {
  const t = useT();
  const [sentFor, setSentFor] = useState<string | null>(null);
  if (sentFor !== null) {
    return (
      <BareMessage
        title={t.account.register.doneTitle}
        actions={<LinkButton to="/login">{t.account.backToLogin}</LinkButton>}
      >
        {t.account.register.done(sentFor)}
      </BareMessage>
    );
  }
  return (
    <>
      <Title order={1} mb="sm">
        {t.page.register}
      </Title>
      <RegisterForm onSent={setSentFor} />
      <TextLink to="/login" size="sm" mt="md" display="inline-block">
        {t.account.backToLogin}
      </TextLink>
    </>
  );
}
