import { Title } from '@mantine/core';
import { createFileRoute, redirect, useRouter } from '@tanstack/react-router';
import { storeTokens } from '@/api/token';
import { takeNotice } from '@/app/notice';
import { redirectSearch } from '@/app/redirect-search';
import { readClaims } from '@/entities/session/session';
import type { SignedIn } from '@/features/access/api';
import { LoginForm } from '@/features/access/login-form';
import { useT } from '@/i18n/provider';
import { safeRedirect } from '@/lib/safe-redirect';

export const Route = createFileRoute('/_bare/login')({
  staticData: { title: (t) => t.page.login },
  validateSearch: redirectSearch,
  beforeLoad: ({ search }) => {
    if (readClaims()) throw redirect({ href: safeRedirect(search.redirect), replace: true });
  },
  loader: () => ({ notice: takeNotice() }),
  component: LoginPage,
});

function LoginPage() {
  const t = useT();
  const router = useRouter();
  const { redirect: target } = Route.useSearch();
  const { notice } = Route.useLoaderData();
  const enter = (answer: SignedIn) => {
    storeTokens(answer);
    const href = safeRedirect(target);
    // The guard of the signed-in pages fetches the permissions.
    return answer.mustChangePassword
      ? router.navigate({ to: '/app/change-password', search: { redirect: href }, replace: true })
      : router.navigate({ href, replace: true });
  };
  return (
    <>
      <Title order={1} mb="lg">
        {t.login.title}
      </Title>
      <LoginForm notice={notice ? t.login[notice] : undefined} onSignedIn={enter} />
    </>
  );
}
