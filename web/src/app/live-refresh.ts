import type { QueryClient } from '@tanstack/react-query';
import type { LiveEvent } from '@/api/live-events';
import { isConcerned, isFollower } from './live-keys';

/** Events of one change come together, and whoever made it asks by themselves: so long is waited for both. */
const GATHER_MS = 50;
/** All screens hear of a change in the same moment; each asks a little later, at a time of its own. */
const SPREAD_MS = 200;
/** One list is asked for no more often than this, and less often where answering takes the server long. */
const SPACING_MS = 500;
const PATIENCE = 3;
const LONGEST_SPACING_MS = 5_000;

interface Due {
  first: number;
  last: number;
}

interface Refresher {
  /** Fetches again what the event is about: now what is looked at, the rest when it is. */
  tell: (event: LiveEvent) => void;
  /** For a stream that has just begun: what was fetched before it may be outdated already. */
  catchUp: () => void;
  stop: () => void;
}

/**
 * Turns events into refetches, without haste: a burst of events becomes one, what was asked for since is not asked for
 * again, and nothing that is under way is cut short, so that even without a pause between events something is shown.
 */
export function createRefresher(queryClient: QueryClient): Refresher {
  const cache = queryClient.getQueryCache();
  const gather = GATHER_MS + Math.random() * SPREAD_MS;
  const due = new Map<string, Due>();
  const asked = new Map<string, number>();
  const took = new Map<string, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const unsubscribe = cache.subscribe((event) => {
    const { queryHash } = event.query;
    if (event.type === 'removed') for (const map of [due, asked, took]) map.delete(queryHash);
    if (event.type !== 'updated') return;
    if (event.action.type === 'fetch') asked.set(queryHash, Date.now());
    if (event.action.type === 'success') took.set(queryHash, Date.now() - (asked.get(queryHash) ?? 0));
  });

  /** When a query may be asked for again; undefined when it was since the last event. */
  const timeOf = (queryHash: string, { first, last }: Due): number | undefined => {
    const before = asked.get(queryHash) ?? 0;
    if (before > last) return undefined;
    const spacing = Math.max(SPACING_MS, Math.min((took.get(queryHash) ?? 0) * PATIENCE, LONGEST_SPACING_MS));
    return Math.max(first + gather, before + spacing);
  };
  const flush = () => {
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [queryHash, when] of due) {
      const query = cache.get(queryHash);
      const time = timeOf(queryHash, when);
      if (!query || time === undefined) {
        due.delete(queryHash);
      } else if (query.state.fetchStatus === 'fetching') {
        next = Math.min(next, now + SPACING_MS);
      } else if (time > now) {
        next = Math.min(next, time);
      } else {
        due.delete(queryHash);
        void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
      }
    }
    timer = next < Number.POSITIVE_INFINITY ? setTimeout(flush, next - now) : undefined;
  };
  const note = (queryHash: string) => {
    const now = Date.now();
    due.set(queryHash, { first: due.get(queryHash)?.first ?? now, last: now });
    timer ??= setTimeout(flush, gather);
  };

  return {
    tell: (event) => {
      for (const { queryKey, queryHash, state } of cache.getAll()) {
        if (isConcerned(event, queryKey, state.data)) note(queryHash);
      }
    },
    catchUp: () => {
      for (const { queryKey, queryHash, state } of cache.getAll()) {
        if (state.data !== undefined && state.fetchStatus === 'idle' && isFollower(queryKey)) note(queryHash);
      }
    },
    stop: () => {
      clearTimeout(timer);
      unsubscribe();
    },
  };
}
