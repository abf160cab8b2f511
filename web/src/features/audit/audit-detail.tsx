import { Code, Group, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { ChangeList } from '@/ui/change-list';
import { LinkButton } from '@/ui/link-button';
import type { AuditEntry } from './api';
import classes from './audit.module.css';
import { changesOf } from './changes';
import { entityName, type Names, reasonOf } from './entry-text';

/** The details of an entry: changes, error and technical data. */
export function AuditDetail({ entry, words }: { entry: AuditEntry; words: Names }) {
  const { t } = words;
  const changes = changesOf(entry, words);
  const reason = reasonOf(words, entry);
  const record = [entityName(t, entry.entity), entry.subject].filter(Boolean).join(' ');
  return (
    <section className={classes.detail} aria-label={t.audit.changes}>
      {reason && (
        <Text size="sm" mb="xs">
          <Text span inherit c="dimmed">
            {reason.label}
          </Text>{' '}
          {reason.text}
        </Text>
      )}
      {changes.length > 0 ? (
        <ChangeList changes={changes} label={t.audit.changes} />
      ) : (
        <Text size="sm" c="dimmed">
          {t.audit.noChanges}
        </Text>
      )}
      <Group justify="space-between" gap="xs" mt="sm" align="flex-end">
        <dl className={classes.technical} aria-label={t.audit.technical}>
          <Fact label={t.audit.where} value={entry.addr} />
          <Fact label={t.audit.actionCode} value={entry.action} />
          <Fact label={t.audit.record} value={`${entry.entity} ${entry.entityId}`} />
          <Fact label={t.audit.entryId} value={String(entry.id)} />
          <Fact label={t.audit.requestId} value={entry.requestId} />
        </dl>
        {entry.entityId !== '' && entry.entity !== 'operation' && (
          <LinkButton
            to="/app/global-config"
            search={{ tab: 'audit', entity: entry.entity, entityId: entry.entityId }}
            variant="default"
            size="compact-sm"
            leftSection={<IconHistory size={14} aria-hidden />}
          >
            {t.audit.sameRecord(record)}
          </LinkButton>
        )}
      </Group>
    </section>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  if (value.trim() === '') return null;
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>
        <Code>{value}</Code>
      </dd>
    </div>
  );
}
