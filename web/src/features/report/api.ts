import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';

type Schemas = components['schemas'];
export type ReportGroup = Pick<Schemas['UtilizationRow'], 'key' | 'name'>;
export type UtilizationReport = Schemas['UtilizationReport'];
export type NoShowReport = Schemas['NoShowReport'];
export type WaitingReport = Schemas['WaitingReport'];
export type WorkloadReport = Schemas['WorkloadReport'];
export type HeatCell = Schemas['HeatCell'];

export interface Reports {
  utilization: UtilizationReport;
  'no-show': NoShowReport;
  'waiting-time': WaitingReport;
  workload: WorkloadReport;
}

export type ReportKind = keyof Reports;

export interface Criteria {
  dateFrom: string;
  dateTo: string;
  serviceIds?: number[];
  groupBy: string;
}

export const reportPath = <Kind extends ReportKind>(kind: Kind) => `/admin/api/v1/report/${kind}` as const;

/** The response for json; the other formats are files. */
interface JsonResponse<Report> {
  data?: { success?: unknown; data?: Report };
  error?: unknown;
  response: Response;
}

export const reportQuery = <Kind extends ReportKind>(kind: Kind, criteria: Criteria) =>
  queryOptions({
    queryKey: ['report', kind, criteria],
    queryFn: ({ signal }) => {
      // Each report has its own groups, and the address accepts no others (see report-search.ts).
      const body = { ...criteria, format: 'json' } as Schemas['UtilizationAsked'];
      const path = reportPath(kind) as '/admin/api/v1/report/utilization';
      return call(
        api.POST(path, { body, signal }) as Promise<unknown> as Promise<JsonResponse<Reports[Kind]>>,
      );
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
