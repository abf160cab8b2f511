import type { QueryClient, QueryKey } from '@tanstack/react-query';

interface Listed {
  items: { id: number }[];
}

/**
 * putRecord replaces a record in all cached lists under the key with the version that a write returned. The record
 * stays in a list whose filter no longer matches until that list is refetched, so that it keeps its place
 * (useHeldRows).
 */
export function putRecord(queryClient: QueryClient, queryKey: QueryKey, now: { id: number }): void {
  queryClient.setQueriesData<Listed>({ queryKey, predicate: ({ state }) => isList(state.data) }, (data) =>
    data?.items.some(({ id }) => id === now.id)
      ? { ...data, items: data.items.map((item) => (item.id === now.id ? { ...item, ...now } : item)) }
      : undefined,
  );
}

function isList(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'items' in data && Array.isArray(data.items);
}
