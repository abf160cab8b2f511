import { ActionIcon, Alert, Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCheck, IconDeviceTv, IconLinkOff } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Service } from '@/entities/service/api';
import { useT } from '@/i18n/provider';
import { CopyField } from '@/ui/copy-field';
import { EmptyState } from '@/ui/empty-state';
import { ErrorAlert } from '@/ui/error-alert';
import { RelativeTime } from '@/ui/relative-time';
import { showDone, showFailure } from '@/ui/toast';
import type { Dialog } from '@/ui/use-dialog';
import { useWrite } from '@/ui/use-write';
import { createDisplay, type Display, deleteDisplay, displaysQuery } from './api';
import classes from './service.module.css';

/** The waiting-room screens of a service: a link for each, which can be revoked. */
export function DisplaysDialog({ dialog: { subject, opened, close } }: { dialog: Dialog<Service> }) {
  const t = useT();
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t.display.manageOf(subject?.name ?? '')}
      size="lg"
      centered
      returnFocus={false}
    >
      {subject && <Displays key={subject.id} service={subject} />}
    </Modal>
  );
}

function Displays({ service }: { service: Service }) {
  const t = useT();
  const { data, error, refetch } = useQuery(displaysQuery(service.id));
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        {t.display.intro}
      </Text>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton h={80} role="status" aria-label={t.app.loading} />}
      {data?.length === 0 && <EmptyState icon={IconDeviceTv} title={t.display.none} />}
      {data && data.length > 0 && (
        <ul className={classes.displays} aria-label={t.display.manage}>
          {data.map((display) => (
            <li key={display.id}>
              <DisplayRow display={display} />
            </li>
          ))}
        </ul>
      )}
      <AddDisplay service={service} />
    </Stack>
  );
}

function DisplayRow({ display: { id, serviceId, label, seenAt } }: { display: Display }) {
  const t = useT();
  const queryClient = useQueryClient();
  const [confirming, setConfirming] = useState(false);
  const revoke = useWrite({
    mutationFn: () => deleteDisplay(id),
    onSuccess: () => showDone(t.display.revokedDone(label)),
    onError: (error) => showFailure(t, error),
    onSettled: () => queryClient.invalidateQueries(displaysQuery(serviceId)),
  });
  if (confirming) {
    return (
      <Group gap="xs" justify="space-between">
        <Text size="sm">{t.display.revokeSure(label)}</Text>
        <Group gap="xs">
          <Button size="compact-md" variant="default" onClick={() => setConfirming(false)}>
            {t.display.keep}
          </Button>
          <Button
            size="compact-md"
            color="red.8"
            autoFocus
            loading={revoke.isPending}
            onClick={() => revoke.mutate()}
          >
            {t.display.revoke}
          </Button>
        </Group>
      </Group>
    );
  }
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm" fw={500}>
          {label}
        </Text>
        <Text size="xs" c="dimmed">
          {seenAt ? (
            <>
              {t.display.seen} <RelativeTime at={seenAt} />
            </>
          ) : (
            t.display.neverSeen
          )}
        </Text>
      </div>
      <ActionIcon
        variant="subtle"
        color="red"
        size={32}
        aria-label={t.display.revokeOf(label)}
        onClick={() => setConfirming(true)}
      >
        <IconLinkOff size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

function AddDisplay({ service }: { service: Service }) {
  const t = useT();
  const queryClient = useQueryClient();
  const form = useForm({ initialValues: { label: '' } });
  const { mutate, isPending, data, error } = useWrite({
    mutationFn: ({ label }: { label: string }) => createDisplay(service.id, label),
    onSuccess: () => {
      form.reset();
      return queryClient.invalidateQueries(displaysQuery(service.id));
    },
  });
  // In the fragment, which is not sent to servers or logged.
  const link = data && `${window.location.origin}/display/${encodeURIComponent(service.code)}#${data.token}`;
  return (
    <>
      {data && link && (
        <Alert
          color="green"
          variant="light"
          icon={<IconCheck aria-hidden />}
          title={t.display.made(data.label)}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          <Stack gap="xs">
            <CopyField label={t.display.link} value={link} />
            <Text size="sm" c="var(--mantine-color-text)">
              {t.display.linkOnce}
            </Text>
            <Group>
              <Button component="a" href={link} target="_blank" rel="noreferrer" size="compact-md">
                {t.display.open}
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
      {error && <ErrorAlert error={error} />}
      <form
        onSubmit={form.onSubmit((values) => {
          if (!isPending) mutate(values);
        })}
      >
        <Group align="flex-end" gap="xs">
          <TextInput
            label={t.display.label}
            placeholder={t.display.labelHint}
            required
            maxLength={80}
            flex="1 1 14rem"
            {...form.getInputProps('label')}
          />
          <Button type="submit" loading={isPending}>
            {t.display.add}
          </Button>
        </Group>
      </form>
    </>
  );
}
