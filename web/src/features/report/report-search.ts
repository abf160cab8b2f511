import { integer, oneOf, searchParams } from '@/lib/search-params';
import { dateParam } from '@/ui/table-search';
import type { Criteria, ReportKind } from './api';
import { chosenPeriod, PRESETS } from './period';

/** The groupings of each report; the first is the default. */
export const GROUPS = {
  utilization: ['service', 'day', 'month', 'fiscalYear', 'weekday', 'hour'],
  'no-show': ['service', 'weekday', 'leadTime', 'month', 'fiscalYear'],
  'waiting-time': ['service', 'weekday', 'hour', 'month', 'fiscalYear'],
  workload: ['staff'],
} as const satisfies Record<ReportKind, readonly string[]>;

export type GroupBy = (typeof GROUPS)[ReportKind][number];
export const KINDS = ['utilization', 'no-show', 'waiting-time', 'workload'] as const satisfies ReportKind[];
const ANY_GROUP = [...new Set(Object.values(GROUPS).flat())];

const isId = integer(1);
function servicesParam(given: unknown): number[] {
  const ids = Array.isArray(given) ? given.filter((id): id is number => isId(id) !== undefined) : [];
  return Array.isArray(given) && ids.length === given.length && ids.length <= 500 ? ids : [];
}

/** The report in the address. */
export const reportSearch = searchParams({
  tab: oneOf(KINDS, 'utilization'),
  period: oneOf(PRESETS, 'thisMonth'),
  from: dateParam,
  to: dateParam,
  services: servicesParam,
  /** Not removed if another report cannot show it, so that it applies again on return. */
  by: oneOf(ANY_GROUP),
});
export type ReportSearch = ReturnType<typeof reportSearch.parse>;
export const REPORT_DEFAULTS = {
  tab: 'utilization',
  period: 'thisMonth',
  services: [],
} satisfies ReportSearch;

export function groupOf({ tab, by }: Pick<ReportSearch, 'tab' | 'by'>): GroupBy {
  const possible: readonly GroupBy[] = GROUPS[tab];
  return possible.find((group) => group === by) ?? GROUPS[tab][0];
}

/** The request parameters. */
export function criteriaOf(search: ReportSearch, today: string): Criteria {
  const { services } = search;
  return {
    ...chosenPeriod(search, today),
    serviceIds: services.length > 0 ? services : undefined,
    groupBy: groupOf(search),
  };
}
