import { Button, Group, Stack } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconPlus, IconUserPlus, IconUserSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type KeyboardEvent, useRef } from 'react';
import { nameFromSearch } from '@/entities/patient/name-from-search';
import { patientLink } from '@/entities/patient/patient-line';
import { useCan } from '@/entities/session/session';
import { useLanguage, useT } from '@/i18n/provider';
import { DataTable } from '@/ui/data-table';
import { EmptyState } from '@/ui/empty-state';
import bar from '@/ui/filter-bar.module.css';
import { LinkButton } from '@/ui/link-button';
import print from '@/ui/print.module.css';
import { PrintButton } from '@/ui/print-button';
import { PrintHeading } from '@/ui/print-heading';
import { SearchInput } from '@/ui/search-input';
import type { TableState } from '@/ui/table-search';
import { patientListQuery } from './api';
import classes from './list.module.css';
import { patientColumns } from './list-columns';
import { PatientFilterBar } from './list-filters';
import {
  criteriaOf,
  describeFilters,
  isFiltered,
  NO_FILTERS,
  PATIENT_SORT,
  type PatientFilters,
  patientSort,
} from './list-search';
import { PatientExport } from './patient-export';

const route = getRouteApi('/_signed-in/app/patient-management/');

/** The patients. Filters, sort and page are in the address; the search text is not (app/history.ts). */
export function PatientsTab() {
  const t = useT();
  const can = useCan();
  const { language } = useLanguage();
  const { q, sex, right, province, ageFrom, ageTo, page, pageSize, sort: asked } = route.useSearch();
  const chosen = patientSort(asked);
  const sort = chosen ?? PATIENT_SORT;
  const navigate = route.useNavigate();
  const filters: PatientFilters = { q, sex, right, province, ageFrom, ageTo };
  const query = useQuery(patientListQuery({ ...criteriaOf(filters), sort: chosen, page, pageSize }));
  const searchBox = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // By the physical key: on a Thai keyboard it types ฝ.
  useHotkeys([['slash', () => searchBox.current?.focus(), { preventDefault: true, usePhysicalKeys: true }]]);

  const change = (part: Partial<PatientFilters>, replace = false) =>
    void navigate({ search: (search) => ({ ...search, page: 1, ...part }), replace });
  const changeTable = ({ sort: next = sort, ...part }: Partial<TableState>) =>
    void navigate({
      search: (search) => ({ ...search, ...part, sort: next === PATIENT_SORT ? undefined : next }),
    });
  return (
    <Stack gap="sm">
      <PrintHeading title={t.patientList.list} criteria={describeFilters(t, filters)} />
      <div className={`${bar.bar} ${print.screen}`}>
        <SearchInput
          ref={searchBox}
          className={bar.search}
          label={t.patientList.search}
          title={t.patientList.searchKey}
          aria-keyshortcuts="/"
          value={q}
          onSearch={(text) => change({ q: text }, true)}
          onKeyDown={(event) => moveFocus(event, list.current)}
        />
        <div className={bar.tools}>
          {can('PATIENT.EXPORT') && <PatientExport criteria={{ ...criteriaOf(filters), sort: chosen }} />}
          <PrintButton visibleFrom="xs">{t.patientList.print}</PrintButton>
          {can('PATIENT.CREATE') && (
            <LinkButton to="/app/patient-management/create" leftSection={<IconPlus size={16} aria-hidden />}>
              {t.patientList.register}
            </LinkButton>
          )}
        </div>
      </div>
      <div className={print.screen}>
        <PatientFilterBar filters={filters} onChange={change} />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows only move between the links inside. */}
      <div ref={list} className={classes.list} onKeyDown={(event) => moveFocus(event, list.current)}>
        <DataTable
          label={t.patientList.list}
          query={query}
          rowKey={({ id }) => id}
          state={{ sort, page, pageSize }}
          onChange={changeTable}
          onRowClick={({ id }) => void navigate(patientLink(id))}
          columns={patientColumns(t, language)}
          emptyIcon={IconUserSearch}
          empty={<NoPatients filters={filters} onClear={() => change(NO_FILTERS)} />}
        />
      </div>
    </Stack>
  );
}

/** The reason why the list is empty, and actions that help. */
function NoPatients({ filters, onClear }: { filters: PatientFilters; onClear: () => void }) {
  const t = useT();
  const mayCreate = useCan()('PATIENT.CREATE');
  const filtered = isFiltered(filters);
  const name = nameFromSearch(filters.q);
  return (
    <EmptyState
      icon={filtered ? IconUserSearch : IconUserPlus}
      title={filtered ? t.patientList.noneFound : t.patientList.none}
      action={
        <Group gap="xs" justify="center">
          {filtered && (
            <Button variant="light" onClick={onClear}>
              {t.action.clearFilters}
            </Button>
          )}
          {mayCreate && (
            <LinkButton
              to="/app/patient-management/create"
              state={name ? { register: name } : undefined}
              variant={filtered ? 'default' : 'filled'}
              leftSection={<IconPlus size={16} aria-hidden />}
            >
              {name ? t.patientList.registerNamed(filters.q) : t.patientList.register}
            </LinkButton>
          )}
        </Group>
      }
    >
      {filtered ? t.patientList.noneFoundHint : mayCreate && t.patientList.noneHint}
    </EmptyState>
  );
}

/** Up and Down move between rows, and from the search box into the list. */
function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const links = [...(list?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])];
  const at = links.indexOf(event.target as HTMLElement);
  const fromSearch = event.target instanceof HTMLInputElement && event.key === 'ArrowDown';
  const next =
    at < 0 ? (fromSearch ? links[0] : undefined) : links[event.key === 'ArrowDown' ? at + 1 : at - 1];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
