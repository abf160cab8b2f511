import type { QueryClient, QueryKey } from '@tanstack/react-query';

interface Listed {
  items: { id: number }[];
}

/**
 * putRecord shows a record as a change returned it in every cached list below the key, also in one that will not have it
 * any more once it is asked for again: there it keeps its place while the user works with the list (useHeldRows).
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
