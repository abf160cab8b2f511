import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '@/api/error';

const MAX_RETRIES = 2;

/** Retries only temporary failures: no response, or a 5xx. Other errors would be the same again. */
function shouldRetry(failures: number, error: Error): boolean {
  const temporary = !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
  return temporary && failures < MAX_RETRIES;
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: shouldRetry, staleTime: 30_000 },
      // Fail at once when offline. A paused mutation would be sent later, when the user no longer expects it.
      mutations: { retry: false, networkMode: 'always' },
    },
  });
}
