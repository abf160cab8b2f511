import { Alert, Button, Group, Skeleton, Title } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createFileRoute, useRouter } from '@tanstack/react-router';
import { requireToken } from '@/app/guard';
import { redirectSearch } from '@/app/redirect-search';
import { useSignOut } from '@/app/use-sign-out';
import { meQuery, sessionKeys } from '@/entities/session/session';
import { ChangePasswordForm } from '@/features/access/change-password-form';
import { useT } from '@/i18n/provider';
import { safeRedirect } from '@/lib/safe-redirect';
import { ErrorAlert } from '@/ui/error-alert';
import { TextLink } from '@/ui/text-link';
import { showDone } from '@/ui/toast';

/** Outside the shell: a user who must change the password may do nothing else. */
export const Route = createFileRoute('/_bare/app/change-password')({
  staticData: { title: (t) => t.page.changePassword },
  validateSearch: redirectSearch,
  beforeLoad: ({ location }) => requireToken(location.href),
  component: ChangePasswordPage,
});

function ChangePasswordPage() {
  const t = useT();
  const router = useRouter();
  const queryClient = useQueryClient();
  const signOut = useSignOut();
  const { redirect } = Route.useSearch();
  const { data: me, error } = useQuery(meQuery);
  const leave = async () => {
    showDone(t.password.changed);
    // The guard checks again and now lets the user in.
    queryClient.removeQueries({ queryKey: sessionKeys.all });
    await router.navigate({ href: safeRedirect(redirect), replace: true });
  };
  return (
    <>
      <Title order={1} mb="lg">
        {t.page.changePassword}
      </Title>
      {me?.mustChangePassword && (
        <Alert color="gray" icon={<IconInfoCircle aria-hidden />} p="sm" mb="md">
          {t.password.forced}
        </Alert>
      )}
      {error && <ErrorAlert error={error} />}
      {me ? <ChangePasswordForm username={me.username} onChanged={leave} /> : !error && <Skeleton h={300} />}
      <Group mt="md" justify="space-between">
        {me && !me.mustChangePassword ? (
          <TextLink to="/app/dashboard" size="sm">
            {t.app.backHome}
          </TextLink>
        ) : (
          <span />
        )}
        <Button variant="subtle" size="compact-sm" loading={signOut.pending} onClick={signOut.run}>
          {t.frame.signOut}
        </Button>
      </Group>
    </>
  );
}
