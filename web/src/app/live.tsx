import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { api, call } from '@/api/client';
import { type LiveEvent, publishLiveEvent } from '@/api/live-events';
import { type LiveStatus, LiveStatusContext } from '@/api/live-status';
import { adminToken, onTokenChange } from '@/api/token';
import { followEvents } from '@/lib/event-stream';
import { createRefresher } from './live-refresh';

/** How often visible queries are refetched while the event stream is lost. */
export const POLL_MS = 15_000;
const LOST_AFTER_MS = 3_000;
/**
 * A hidden tab closes its connection after this time: over HTTP/1.1 a browser allows six connections per server, and
 * users open more tabs than that. The tab reconnects, with the missed events, when it becomes visible.
 */
const HIDDEN_MS = 10_000;

/** LiveProvider keeps the data on screen up to date while a user is signed in, with one connection per tab. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient();
  const token = useSyncExternalStore(onTokenChange, adminToken);
  const [status, setStatus] = useState<LiveStatus>('connecting');
  useEffect(() => (token ? connect(queryClient, setStatus) : undefined), [queryClient, token]);
  return <LiveStatusContext value={status}>{children}</LiveStatusContext>;
}

/** Follows the server's events until the returned function is called. */
function connect(queryClient: QueryClient, onStatus: (status: LiveStatus) => void): () => void {
  const refresher = createRefresher(queryClient);
  let open = false;
  let lostTimer: ReturnType<typeof setTimeout> | undefined;
  let pollTimer: ReturnType<typeof setInterval> | undefined;
  let hideTimer: ReturnType<typeof setTimeout> | undefined;

  const changeStatus = (status: LiveStatus) => {
    clearTimeout(lostTimer);
    clearInterval(pollTimer);
    lostTimer = undefined;
    pollTimer = undefined;
    onStatus(status);
  };
  const onLost = () => {
    changeStatus('lost');
    pollTimer = setInterval(() => document.hidden || refresher.handle({ kind: 'refetch' }), POLL_MS);
  };
  const connecting = () => {
    open = false;
    // The status remains `lost` until the connection is back.
    if (pollTimer) return;
    onStatus('connecting');
    lostTimer ??= setTimeout(onLost, LOST_AFTER_MS);
  };
  const follower = followEvents({
    open: openEvents,
    onEvent: ({ data }) => {
      const event = JSON.parse(data) as LiveEvent;
      refresher.handle(event);
      publishLiveEvent(event);
    },
    onOpen: (resumed) => {
      open = true;
      changeStatus('live');
      if (!resumed) refresher.catchUp();
    },
    onLoss: connecting,
  });
  const disconnect = () => {
    follower.stop();
    open = false;
    changeStatus('connecting');
  };
  const reconnectIfVisible = () => {
    if (open || document.hidden) return;
    connecting();
    follower.start();
  };
  const onVisibilityChange = () => {
    clearTimeout(hideTimer);
    if (document.hidden) hideTimer = setTimeout(disconnect, HIDDEN_MS);
    else reconnectIfVisible();
  };
  const onNetworkChange = () => {
    follower.stop();
    open = false;
    reconnectIfVisible();
  };
  reconnectIfVisible();
  document.addEventListener('visibilitychange', onVisibilityChange);
  // After a change of network the old connection is dead without an error.
  window.addEventListener('online', onNetworkChange);
  return () => {
    document.removeEventListener('visibilitychange', onVisibilityChange);
    window.removeEventListener('online', onNetworkChange);
    clearTimeout(hideTimer);
    disconnect();
    refresher.stop();
  };
}

/** A rejected session is handled as in any call, so that a session ended elsewhere signs out here. */
async function openEvents(after: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const { data, error, response } = await api.GET('/admin/api/v1/events', {
    params: { header: after ? { 'Last-Event-ID': after } : {} },
    parseAs: 'stream',
    signal,
  });
  return data ?? call<never>(Promise.resolve({ error, response }));
}
