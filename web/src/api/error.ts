import type { Messages } from '@/i18n/th';

export interface FieldError {
  field: string;
  message: string;
}

/** A failed call. `message` is the server's, in the user's language; it is empty for the codes defined below. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: FieldError[];
  readonly details: Record<string, unknown>;
  readonly requestId: string;

  constructor(from: {
    code: string;
    message?: string;
    status?: number;
    fields?: FieldError[] | null;
    details?: Record<string, unknown> | null;
    requestId?: string;
  }) {
    super(from.message ?? '');
    this.name = 'ApiError';
    this.code = from.code;
    this.status = from.status ?? 0;
    this.fields = from.fields ?? [];
    this.details = from.details ?? {};
    this.requestId = from.requestId ?? '';
  }
}

/** No response was received. */
export const NETWORK = 'NETWORK';
/** Nothing was sent: the browser is offline. */
export const OFFLINE = 'OFFLINE';
/** The response is not the API's envelope, for example a proxy's error page. */
export const UNEXPECTED = 'UNEXPECTED';

/** True if no response was received. The same request can be retried. */
export function isNetworkError(error: unknown): boolean {
  return error instanceof ApiError && (error.code === NETWORK || error.code === OFFLINE);
}

/** The error of a call without a response. */
export function networkError(): ApiError {
  return new ApiError({ code: navigator.onLine ? NETWORK : OFFLINE });
}

/** The current record in a CONFLICT_VERSION error, or null for any other error. */
export function currentOf<Rec>(failure: unknown): Rec | null {
  if (!(failure instanceof ApiError) || failure.code !== 'CONFLICT_VERSION') return null;
  return (failure.details.current as Rec | undefined) ?? null;
}

/** Returns the error message to show. Server messages are already translated; the others come from the catalogue. */
export function errorText(t: Messages, error: unknown): string {
  if (error instanceof ApiError) {
    if (error.message) return error.message;
    if (error.code === OFFLINE) return t.error.offline;
    if (error.code === NETWORK) return t.error.network;
  }
  return t.error.unexpected;
}
