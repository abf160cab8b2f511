import { ActionIcon, Box, Group, Text, Title, UnstyledButton } from '@mantine/core';
import {
  IconChevronRight,
  IconCircleCheck,
  IconCircleX,
  IconHistory,
  IconLock,
  IconRefresh,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '@/i18n/provider';
import { actorName } from '@/lib/actor-name';
import { formatDateTime } from '@/lib/thai-date';
import { DataTable } from '@/ui/data-table';
import type { Column } from '@/ui/data-table-column';
import { EmptyState } from '@/ui/empty-state';
import { LinkButton } from '@/ui/link-button';
import print from '@/ui/print.module.css';
import { PrintHeading } from '@/ui/print-heading';
import { StatusBadge } from '@/ui/status-badge';
import { type AuditEntry, type AuditSearch, auditQuery, type Outcome } from './api';
import classes from './audit.module.css';
import { AuditDetail } from './audit-detail';
import { AuditFilters, countFilters } from './audit-filters';
import { filtersText, sentence, useNames } from './entry-text';

const route = getRouteApi('/_signed-in/app/global-config');

/** The audit log: user, action, time, origin and outcome. Each entry expands to its changes. */
export function AuditTab() {
  const t = useT();
  const words = useNames();
  const { page, pageSize, tab: _, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(auditQuery(search, { page, pageSize }));
  const [openIds, setOpenIds] = useState<ReadonlySet<number>>(new Set());
  const toggle = ({ id }: AuditEntry) => {
    const next = new Set(openIds);
    if (!next.delete(id)) next.add(id);
    setOpenIds(next);
  };
  const change = (part: Partial<AuditSearch & { page: number; pageSize: 20 | 50 | 100 }>) =>
    void navigate({
      search: (before) => ({ ...before, tab: 'audit', page: 1, ...part }),
      replace: true,
      resetScroll: false,
    });
  const columns: Column<AuditEntry>[] = [
    {
      key: 'when',
      title: t.audit.when,
      width: 165,
      render: ({ at }) => <time dateTime={at}>{formatDateTime(at, words.language)}</time>,
    },
    { key: 'who', title: t.audit.who, width: 165, render: (entry) => actorName(t, entry) },
    {
      key: 'what',
      title: t.audit.what,
      card: 'heading',
      render: (entry) => (
        <UnstyledButton
          className={classes.what}
          data-printed
          aria-expanded={openIds.has(entry.id)}
          onClick={() => toggle(entry)}
        >
          <IconChevronRight size={16} aria-hidden />
          {sentence(t, entry)}
        </UnstyledButton>
      ),
    },
    {
      key: 'where',
      title: t.audit.where,
      width: 130,
      from: 1100,
      render: ({ addr }) => <bdi>{addr || '–'}</bdi>,
    },
    {
      key: 'outcome',
      title: t.audit.outcome,
      width: 115,
      render: ({ outcome }) => <OutcomeBadge outcome={outcome} />,
    },
  ];
  return (
    <>
      <PrintHeading title={t.audit.title} criteria={filtersText(words, search, query.data?.items[0])} />
      <Group justify="space-between" mb="sm" className={print.screen}>
        <Title order={2}>{t.audit.title}</Title>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t.audit.refresh}
          title={t.audit.refresh}
          onClick={() => void query.refetch()}
        >
          <IconRefresh size={18} aria-hidden />
        </ActionIcon>
      </Group>
      <Box className={print.screen} mb={{ base: 'sm', xs: 'md' }}>
        <AuditFilters search={search} onChange={change} />
      </Box>
      <DataTable
        label={t.audit.title}
        columns={columns}
        query={query}
        rowKey={({ id }) => id}
        state={{ sort: '', page, pageSize }}
        onChange={(part) => change({ page: part.page, pageSize: part.pageSize ?? pageSize })}
        onRowClick={toggle}
        detail={(entry) => openIds.has(entry.id) && <AuditDetail entry={entry} words={words} />}
        empty={<NoEntries filtered={countFilters(search) > 0 || page > 1} />}
      />
    </>
  );
}

function NoEntries({ filtered }: { filtered: boolean }) {
  const t = useT();
  if (!filtered) {
    return (
      <EmptyState icon={IconHistory} title={t.audit.empty}>
        {t.audit.emptyHint}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconHistory}
      title={t.audit.noMatch}
      action={
        <LinkButton to="/app/global-config" search={{ tab: 'audit' }}>
          {t.action.clearFilters}
        </LinkButton>
      }
    >
      <Text inherit>{t.audit.noMatchHint}</Text>
    </EmptyState>
  );
}

const OUTCOME_STYLE = {
  OK: { icon: IconCircleCheck, color: 'green' },
  REFUSED: { icon: IconLock, color: 'orange' },
  FAILED: { icon: IconCircleX, color: 'red' },
} as const;

function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  const t = useT();
  return <StatusBadge {...OUTCOME_STYLE[outcome]}>{t.audit.outcomes[outcome]}</StatusBadge>;
}
