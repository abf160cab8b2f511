import { queryOptions } from '@tanstack/react-query';
import { api, call } from '@/api/client';

const STALE_MS = 60_000;

/** All queries about users, so that one change refreshes every list it may show in. */
const USERS = ['user'];
export const userKeys = {
  all: USERS,
  one: (id: number) => [...USERS, 'one', id],
  list: [...USERS, 'list'],
  pendingCount: [...USERS, 'pending-count'],
  sessions: (id: number) => [...USERS, 'sessions', id],
  activity: (id: number) => [...USERS, 'activity', id],
  people: [...USERS, 'all'],
};

/** The users that an appointment can be assigned to. */
export const staffQuery = queryOptions({
  queryKey: [...USERS, 'choices'],
  queryFn: ({ signal }) => call(api.GET('/admin/api/v1.0/user-admin/list', { signal })),
  staleTime: STALE_MS,
});
