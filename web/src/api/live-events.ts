import type { components } from './schema';

export type LiveEvent = components['schemas']['Event'];

const listeners = new Set<(event: LiveEvent) => void>();

/**
 * Calls the listener for each event that the server sends to this tab, until the returned function is called. Only for
 * what is shown of the event itself; queries are refetched by app/live-keys.ts.
 */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function publishLiveEvent(event: LiveEvent): void {
  for (const listener of listeners) listener(event);
}
