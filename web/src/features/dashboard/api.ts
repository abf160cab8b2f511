import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';
import type { Appointment } from '@/entities/appointment/api';

type Schemas = components['schemas'];
export type Dashboard = Schemas['Dashboard'];
export type ServiceDay = Schemas['DashboardService'];

export const dashboardKeys = { all: ['dashboard'] };

/** The polling interval for changes without an event, such as the passing of time. */
const POLL_MS = 30_000;

export const dashboardQuery = (date: string) =>
  queryOptions({
    queryKey: [...dashboardKeys.all, date],
    queryFn: ({ signal }) =>
      call(api.GET('/admin/api/v1/dashboard/summary', { params: { query: { date } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: POLL_MS,
  });

/** Replaces an arrival in a cached dashboard until it is refetched. */
export function withArrival(dashboard: Dashboard | undefined, now: Appointment): Dashboard | undefined {
  if (!dashboard?.arrivals) return dashboard;
  const { next, late } = dashboard.arrivals;
  const put = (rows: Appointment[]) => rows.map((row) => (row.id === now.id ? now : row));
  return { ...dashboard, arrivals: { ...dashboard.arrivals, next: put(next), late: put(late) } };
}
