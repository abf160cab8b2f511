import { Title } from '@mantine/core';
import { createFileRoute, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { BareMessage } from '@/features/access/bare-message';
import { ResetPasswordForm } from '@/features/access/reset-password-form';
import { useT } from '@/i18n/provider';
import { LinkButton } from '@/ui/link-button';
import { showDone } from '@/ui/toast';

export const Route = createFileRoute('/_bare/reset-password')({
  staticData: { title: (t) => t.page.resetPassword },
  component: ResetPasswordPage,
});

/** The token is in the fragment, which is not sent to servers or proxies. */
function tokenOf(hash: string): string {
  return new URLSearchParams(hash.replace(/^#/, '')).get('token') ?? '';
}

function ResetPasswordPage() {
  const t = useT();
  const router = useRouter();
  const [token] = useState(() => tokenOf(location.hash));
  const [invalid, setInvalid] = useState(false);
  useEffect(() => {
    // Remove it from the address bar and the history, where the next user of this computer could find it.
    void router.navigate({ to: '/reset-password', hash: '', replace: true });
  }, [router]);
  if (token === '' || invalid) {
    return (
      <BareMessage
        title={invalid ? t.account.reset.deadTitle : t.account.reset.missingTitle}
        actions={
          <>
            <LinkButton to="/forgot-password">{t.account.reset.askNew}</LinkButton>
            <LinkButton to="/login" variant="default">
              {t.account.backToLogin}
            </LinkButton>
          </>
        }
      >
        {invalid ? t.account.reset.deadText : t.account.reset.missingText}
      </BareMessage>
    );
  }
  const enter = () => {
    showDone(t.account.reset.done);
    return router.navigate({ to: '/login', replace: true });
  };
  return (
    <>
      <Title order={1} mb="sm">
        {t.page.resetPassword}
      </Title>
      <ResetPasswordForm token={token} onReset={enter} onInvalidLink={() => setInvalid(true)} />
    </>
  );
}
