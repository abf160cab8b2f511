import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import type { Permission } from '@/api/client';
import { useCan } from '@/entities/session/session';
import { type Setting, settingQuery } from '@/entities/setting/api';
import { useT } from '@/i18n/provider';
import type { Change } from '@/ui/change-list';
import { ErrorAlert } from '@/ui/error-alert';
import print from '@/ui/print.module.css';
import { RecordConflict } from '@/ui/record-conflict';
import { SaveBar } from '@/ui/save-bar';
import { UnsavedGuard } from '@/ui/unsaved-guard';
import type { useRecordForm } from '@/ui/use-record-form';
import type { SettingChange } from './api';
import classes from './setting.module.css';
import { useFieldName } from './use-setting-form';

interface SettingPanelProps {
  permission: Permission;
  readOnlyText?: string;
  children: (setting: Setting, readOnly: boolean) => ReactNode;
}

/**
 * A tab of the settings. Cached settings are shown at once and refetched. If nothing was typed, the form switches to
 * newer settings; otherwise it shows that there are some.
 */
export function SettingPanel({ permission, readOnlyText, children }: SettingPanelProps) {
  const t = useT();
  const readOnly = !useCan()(permission);
  const { data, error, refetch } = useQuery({ ...settingQuery, refetchOnMount: 'always' });
  if (error && !data) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Skeleton h={320} role="status" aria-label={t.app.loading} />;
  return (
    <Stack gap="md" className={print.form}>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {readOnly && (
        <Text size="sm" c="dimmed">
          {readOnlyText ?? t.setting.readOnly}
        </Text>
      )}
      {children(data, readOnly)}
    </Stack>
  );
}

type RecordForm<Values extends Record<string, unknown>> = ReturnType<
  typeof useRecordForm<Setting, Values, Omit<SettingChange, 'version'>>
>;

interface SettingFormProps<Values extends Record<string, unknown>> {
  label: string;
  record: Omit<RecordForm<Values>, 'onSubmit'> & {
    onSubmit: (event?: FormEvent<HTMLFormElement>) => void;
    changes: Change[];
    textsOf: (values: Values) => Record<string, string>;
  };
  readOnly: boolean;
  children: ReactNode;
}

/** The form of a tab: fields, pending changes, and the dialogs of a save. */
export function SettingForm<Values extends Record<string, unknown>>(props: SettingFormProps<Values>) {
  const { label, record, readOnly, children } = props;
  const name = useFieldName();
  return (
    <form noValidate aria-label={label} onSubmit={record.onSubmit}>
      <Stack gap="md">
        {children}
        {!readOnly && (
          <SaveBar
            changes={record.changes}
            pending={record.pending}
            error={record.error}
            outdated={record.outdated}
            onDiscard={record.discard}
          />
        )}
      </Stack>
      <RecordConflict conflict={record.conflict} label={name} textsOf={record.textsOf} />
      <UnsavedGuard unsaved={record.unsaved} leaves={(from, to) => tabOf(from) !== tabOf(to)} />
    </form>
  );
}

const tabOf = ({ tab }: { tab?: unknown }) => tab;

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {title}
      </Title>
      <div className={classes.grid}>{children}</div>
    </section>
  );
}
