import { Card, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { meQuery } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { formatPhone } from '@/lib/phone';
import { ErrorAlert } from '@/ui/error-alert';
import { showDone } from '@/ui/toast';
import { ownSessionsQuery } from './api';
import { ChangePasswordForm } from './change-password-form';
import { OwnSessions } from './own-sessions';
import classes from './profile.module.css';
import { TotpCard } from './totp-card';

type Me = Awaited<ReturnType<NonNullable<typeof meQuery.queryFn>>>;

/** The user's own profile: data, password, two-factor authentication and sessions. */
export function Profile() {
  const t = useT();
  const { data: me, error, refetch } = useQuery(meQuery);
  if (error && !me) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!me) return <Skeleton h={420} role="status" aria-label={t.app.loading} />;
  return (
    <div className={classes.page}>
      <Stack gap="md">
        <Part title={t.account.profile.own}>
          <OwnData me={me} />
        </Part>
        <Part title={t.account.totp.title}>
          <TotpCard enabled={me.totpEnabled} />
        </Part>
      </Stack>
      <Stack gap="md">
        <Part title={t.account.profile.password}>
          <OwnPassword username={me.username} />
        </Part>
        <Part title={t.account.profile.sessions}>
          <OwnSessions />
        </Part>
      </Stack>
    </div>
  );
}

function OwnData({ me }: { me: Me }) {
  const t = useT();
  const facts: [string, string][] = [
    [t.account.name, me.name],
    [t.account.username, me.username],
    [t.account.email, me.email],
    [t.account.phone, formatPhone(me.phone)],
    [t.account.position, me.position],
    [t.account.licenseNo, me.licenseNo],
    [t.account.role, me.role?.label ?? t.account.noRole],
  ];
  return (
    <>
      <dl className={classes.facts}>
        {facts.map(([term, value]) => (
          <div key={term} className={classes.fact}>
            <dt>{term}</dt>
            <dd>
              <bdi>{value || '–'}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      <Text size="sm" c="dimmed" mt="sm">
        {t.account.profile.whoToAsk}
      </Text>
    </>
  );
}

function OwnPassword({ username }: { username: string }) {
  const t = useT();
  const queryClient = useQueryClient();
  // A new form after each change, so that no password stays on the page.
  const [round, setRound] = useState(0);
  const changed = () => {
    showDone(t.password.changed);
    setRound(round + 1);
    return queryClient.invalidateQueries(ownSessionsQuery);
  };
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {t.account.profile.passwordNote}
      </Text>
      <div className={classes.narrow}>
        <ChangePasswordForm key={round} username={username} onChanged={changed} />
      </div>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card withBorder padding="lg">
      <Title order={2} mb="sm">
        {title}
      </Title>
      {children}
    </Card>
  );
}
