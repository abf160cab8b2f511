import type { QueryClient } from '@tanstack/react-query';
import type { LiveEvent } from '@/api/live-events';
import { isConcerned, isFollower } from './live-keys';

/** Delay that combines the events of one change, and lets the tab that made it refetch by itself first. */
const COLLECT_MS = 50;
/** Random delay: all tabs receive an event at the same time and must not all refetch at once. */
const JITTER_MS = 200;
/**
 * Minimum time between two fetches of a query. Slow queries are fetched less often: after SLOW_FACTOR times their
 * duration.
 */
const MIN_INTERVAL_MS = 500;
const SLOW_FACTOR = 3;
const MAX_INTERVAL_MS = 5_000;

interface Due {
  first: number;
  last: number;
}

interface Refresher {
  /** Refetches the queries that the event concerns: active ones now, the others when they are used again. */
  handle: (event: LiveEvent) => void;
  /** Refetches after a new stream was opened: events may have been missed. */
  catchUp: () => void;
  stop: () => void;
}

/**
 * createRefresher turns events into refetches. A burst of events causes one refetch, a query fetched since the event is
 * not fetched again, and running fetches are not cancelled, so that data arrives even during a constant stream of
 * events.
 */
export function createRefresher(queryClient: QueryClient): Refresher {
  const cache = queryClient.getQueryCache();
  const delay = COLLECT_MS + Math.random() * JITTER_MS;
  const due = new Map<string, Due>();
  const fetchedAt = new Map<string, number>();
  const durations = new Map<string, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const unsubscribe = cache.subscribe((event) => {
    const { queryHash } = event.query;
    if (event.type === 'removed') for (const map of [due, fetchedAt, durations]) map.delete(queryHash);
    if (event.type !== 'updated') return;
    if (event.action.type === 'fetch') fetchedAt.set(queryHash, Date.now());
    if (event.action.type === 'success')
      durations.set(queryHash, Date.now() - (fetchedAt.get(queryHash) ?? 0));
  });

  /** The time at which a query may be refetched, or undefined if it was fetched after the last event. */
  const timeOf = (queryHash: string, { first, last }: Due): number | undefined => {
    const lastFetch = fetchedAt.get(queryHash) ?? 0;
    if (lastFetch > last) return undefined;
    const interval = Math.max(
      MIN_INTERVAL_MS,
      Math.min((durations.get(queryHash) ?? 0) * SLOW_FACTOR, MAX_INTERVAL_MS),
    );
    return Math.max(first + delay, lastFetch + interval);
  };
  const flush = () => {
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [queryHash, times] of due) {
      const query = cache.get(queryHash);
      const time = timeOf(queryHash, times);
      if (!query || time === undefined) {
        due.delete(queryHash);
      } else if (query.state.fetchStatus === 'fetching') {
        next = Math.min(next, now + MIN_INTERVAL_MS);
      } else if (time > now) {
        next = Math.min(next, time);
      } else {
        due.delete(queryHash);
        void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
      }
    }
    timer = next < Number.POSITIVE_INFINITY ? setTimeout(flush, next - now) : undefined;
  };
  const schedule = (queryHash: string) => {
    const now = Date.now();
    due.set(queryHash, { first: due.get(queryHash)?.first ?? now, last: now });
    timer ??= setTimeout(flush, delay);
  };

  return {
    handle: (event) => {
      for (const { queryKey, queryHash, state } of cache.getAll()) {
        if (isConcerned(event, queryKey, state.data)) schedule(queryHash);
      }
    },
    catchUp: () => {
      for (const { queryKey, queryHash, state } of cache.getAll()) {
        if (state.data !== undefined && state.fetchStatus === 'idle' && isFollower(queryKey))
          schedule(queryHash);
      }
    },
    stop: () => {
      clearTimeout(timer);
      unsubscribe();
    },
  };
}
