import { z } from 'zod';
import { isIsoDate } from '@/lib/thai-date';
import type { Criteria } from './api';
import { chosenPeriod, PRESETS } from './period';

/** What the rows of each report can be about; the first unless another is chosen. */
export const GROUPS = {
  utilization: ['service', 'day', 'month', 'fiscalYear', 'weekday', 'hour'],
  'no-show': ['service', 'weekday', 'leadTime', 'month', 'fiscalYear'],
  'waiting-time': ['service', 'weekday', 'hour', 'month', 'fiscalYear'],
  workload: ['staff'],
} as const;

export type ReportKind = keyof typeof GROUPS;
export type GroupBy = (typeof GROUPS)[ReportKind][number];
export const KINDS = ['utilization', 'no-show', 'waiting-time', 'workload'] as const satisfies ReportKind[];
const ANY_GROUP = [...new Set(Object.values(GROUPS).flat())];

const dayParam = z.string().refine(isIsoDate).optional().catch(undefined);

/** The report as it stands in the address. */
export const reportSearch = z.object({
  tab: z.enum(KINDS).default('utilization').catch('utilization'),
  period: z.enum(PRESETS).default('thisMonth').catch('thisMonth'),
  from: dayParam,
  to: dayParam,
  services: z.array(z.number().int().positive()).max(500).default([]).catch([]),
  /** Kept when another report cannot show it: on the way back it is there again. */
  by: z.enum(ANY_GROUP).optional().catch(undefined),
});
export type ReportSearch = z.infer<typeof reportSearch>;
export const REPORT_DEFAULTS = {
  tab: 'utilization',
  period: 'thisMonth',
  services: [],
} satisfies ReportSearch;

export function groupOf({ tab, by }: Pick<ReportSearch, 'tab' | 'by'>): GroupBy {
  const possible: readonly GroupBy[] = GROUPS[tab];
  return possible.find((group) => group === by) ?? GROUPS[tab][0];
}

/** As the server takes it. */
export function criteriaOf(search: ReportSearch, today: string): Criteria {
  const { services } = search;
  return {
    ...chosenPeriod(search, today),
    serviceIds: services.length > 0 ? services : undefined,
    groupBy: groupOf(search),
  };
}
