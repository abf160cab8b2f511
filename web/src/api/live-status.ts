import { createContext, use } from 'react';

/** `connecting` covers the start and short interruptions; `lost` lasts until the connection is back. */
export type LiveStatus = 'live' | 'connecting' | 'lost';

/** Provided by app/live.tsx. */
export const LiveStatusContext = createContext<LiveStatus>('live');

/**
 * useLiveStatus returns whether this tab receives the server's events. Few components need it: queries listed in
 * app/live-keys.ts are refetched on events, and every 15 s while the connection is lost.
 */
export function useLiveStatus(): LiveStatus {
  return use(LiveStatusContext);
}
