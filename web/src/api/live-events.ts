import type { components } from './schema';

export type LiveEvent = components['schemas']['Event'];

const listeners = new Set<(event: LiveEvent) => void>();

/**
 * Calls the listener for each event that the server sends to this tab, until the returned function is called. Use it
 * only to show the event itself; app/live-keys.ts refetches the queries.
 */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function publishLiveEvent(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}
