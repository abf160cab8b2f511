import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';
import type { components } from '@/api/schema';
import { userKeys } from '@/entities/user/api';
import { addDays, startOfDay } from '@/lib/thai-date';

export type AuditEntry = components['schemas']['AuditEntry'];
export type Outcome = components['schemas']['Outcome'];

export const OUTCOMES = ['OK', 'REFUSED', 'FAILED'] as const satisfies readonly Outcome[];

/** The filters of the log, as in the address. Days are in the hospital's time zone, both included. */
export interface AuditSearch {
  actor?: number;
  entity: string;
  entityId: string;
  action: string;
  outcome?: Outcome;
  from?: string;
  to?: string;
}

interface AuditPage {
  page: number;
  pageSize: number;
}

/** Newest first. */
export const auditQuery = (search: AuditSearch, { page, pageSize }: AuditPage) =>
  queryOptions({
    queryKey: ['audit', 'list', search, page, pageSize],
    queryFn: ({ signal }) =>
      call(
        api.POST('/admin/api/v1/audit/list', {
          body: {
            page,
            pageSize,
            actorId: search.actor,
            entity: search.entity || undefined,
            entityId: search.entityId || undefined,
            action: search.action || undefined,
            outcome: search.outcome,
            from: search.from && startOfDay(search.from),
            to: search.to && startOfDay(addDays(search.to, 1)),
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    // New entries are written all the time.
    refetchOnMount: 'always',
  });

/** The users for the filter, including former ones. */
export const peopleQuery = queryOptions({
  queryKey: userKeys.people,
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1/audit/people', { signal })),
});
