import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ErrorComponentProps, useMatches, useRouter } from '@tanstack/react-router';
import { ApiError } from '@/api/error';
import { NoAccessError } from '@/app/page-meta';
import { NoAccess } from '@/entities/session/no-access';
import { useT } from '@/i18n/provider';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import { MessagePage } from '@/ui/message-page';
import { BilingualTitle } from './bilingual-title';
import { NotFound } from './not-found';

/** Shows the error that a route threw: no access, not found, or any other. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const t = useT();
  const router = useRouter();
  const framed = useMatches({
    select: (matches) => matches.some((match) => match.routeId === '/_signed-in'),
  });
  const headingOrder = framed ? 2 : 1;
  if (error instanceof NoAccessError) return <NoAccess needed={error.needed} />;
  if (error instanceof ApiError && error.code === 'NOT_FOUND')
    return <NotFound headingOrder={headingOrder} />;
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <MessagePage
      icon={IconAlertTriangle}
      title={<BilingualTitle english="An error occurred" text={t.error.failed} />}
      headingOrder={headingOrder}
      actions={
        <>
          <Button onClick={retry}>{t.error.retry}</Button>
          <LinkButton to="/app/dashboard" variant="default">
            {t.app.backHome}
          </LinkButton>
        </>
      }
    >
      {error instanceof ApiError ? <ErrorAlert error={error} /> : t.error.failedHint}
    </MessagePage>
  );
}
