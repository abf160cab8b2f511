import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { api, call } from '@/api/client';
import { type LiveEvent, publishLiveEvent } from '@/api/live-events';
import { type LiveStatus, LiveStatusContext } from '@/api/live-status';
import { adminToken, onTokenChange } from '@/api/token';
import { followEvents } from '@/lib/event-stream';
import { createRefresher } from './live-refresh';

/** How often what is on the screen is asked for again while changes are not told. */
export const POLL_MS = 15_000;
const LOST_AFTER_MS = 3_000;
/**
 * A tab that nobody sees lets its connection go: over HTTP/1.1 a browser holds six to one server, and a desk has more
 * tabs than that. When it is looked at again it hears what it missed.
 */
const HIDDEN_MS = 10_000;

/** Keeps what is on the screen up to date for as long as somebody is signed in; one connection for the tab. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient();
  const token = useSyncExternalStore(onTokenChange, adminToken);
  const [status, setStatus] = useState<LiveStatus>('connecting');
  useEffect(() => (token ? stayLive(queryClient, setStatus) : undefined), [queryClient, token]);
  return <LiveStatusContext value={status}>{children}</LiveStatusContext>;
}

/** Follows the server's events until the function it returns is called. */
function stayLive(queryClient: QueryClient, onStatus: (status: LiveStatus) => void): () => void {
  const refresher = createRefresher(queryClient);
  let open = false;
  let losing: ReturnType<typeof setTimeout> | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;

  const settle = (status: LiveStatus) => {
    clearTimeout(losing);
    clearInterval(polling);
    losing = undefined;
    polling = undefined;
    onStatus(status);
  };
  const lose = () => {
    settle('lost');
    polling = setInterval(() => document.hidden || refresher.tell({ kind: 'refetch' }), POLL_MS);
  };
  const connecting = () => {
    open = false;
    // Once lost it stays so until it is back.
    if (polling) return;
    onStatus('connecting');
    losing ??= setTimeout(lose, LOST_AFTER_MS);
  };
  const follower = followEvents({
    open: openEvents,
    onEvent: ({ data }) => {
      const event = JSON.parse(data) as LiveEvent;
      refresher.tell(event);
      publishLiveEvent(event);
    },
    onOpen: (resumed) => {
      open = true;
      settle('live');
      if (!resumed) refresher.catchUp();
    },
    onLoss: connecting,
  });
  const rest = () => {
    follower.stop();
    open = false;
    settle('connecting');
  };
  const wake = () => {
    if (open || document.hidden) return;
    connecting();
    follower.start();
  };
  const look = () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(rest, HIDDEN_MS);
    else wake();
  };
  const reconnect = () => {
    follower.stop();
    open = false;
    wake();
  };
  wake();
  document.addEventListener('visibilitychange', look);
  // The network is another one: what was open on the old one is dead, and would not say so.
  window.addEventListener('online', reconnect);
  return () => {
    document.removeEventListener('visibilitychange', look);
    window.removeEventListener('online', reconnect);
    clearTimeout(hiding);
    rest();
    refresher.stop();
  };
}

/** A refused session is told as with any call, so that whoever lost theirs elsewhere is signed out here. */
async function openEvents(after: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const { data, error, response } = await api.GET('/admin/api/v1/events', {
    params: { header: after ? { 'Last-Event-ID': after } : {} },
    parseAs: 'stream',
    signal,
  });
  return data ?? call<never>(Promise.resolve({ error, response }));
}
