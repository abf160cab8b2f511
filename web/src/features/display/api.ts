import { queryOptions } from '@tanstack/react-query';
import type { components } from '@/api/schema';
import { currentLanguage } from '@/i18n/language';

export type Board = components['schemas']['QueueBoard'];

/** The token was revoked: not a network error, and retrying soon does not help. */
export class Revoked extends Error {}

const POLL_MS = 3_000;
const POLL_REVOKED_MS = 60_000;
const TIMEOUT_MS = 8_000;

/** Uses the screen's own token instead of the API client, which sends the token of the signed-in user. */
async function fetchBoard(token: string, signal: AbortSignal): Promise<Board> {
  const answer = await fetch('/admin/api/v1/display/board', {
    headers: { Authorization: `Bearer ${token}`, 'Accept-Language': currentLanguage() },
    cache: 'no-store',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  });
  if (answer.status === 401) throw new Revoked();
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return ((await answer.json()) as { data: Board }).data;
}

/** Polls forever, also offline and in the background; the last board stays on screen. */
export const boardQuery = (token: string) =>
  queryOptions({
    queryKey: ['display', token],
    queryFn: ({ signal }) => fetchBoard(token, signal),
    refetchInterval: ({ state }) => (state.error instanceof Revoked ? POLL_REVOKED_MS : POLL_MS),
    refetchIntervalInBackground: true,
    networkMode: 'always',
    retry: false,
    staleTime: 0,
  });
