import createClient, { type Middleware } from 'openapi-fetch';
import { currentLanguage } from '@/i18n/language';
import { beginAttempt, endAttempt } from './attempts';
import { ApiError, type FieldError, networkError, UNEXPECTED } from './error';
import type { components, paths } from './schema';
import { tokenFor } from './token';

export type Permission = components['schemas']['Permission'];

/**
 * Callbacks for responses that concern the session. router.ts sets them once, so that every call is covered without
 * knowing about routes.
 */
export const sessionHandlers = {
  /** 401: the token is no longer accepted. */
  lost: () => {},
  /** 403 PASSWORD_CHANGE_REQUIRED: nothing else is allowed until the password is changed. */
  mustChangePassword: () => {},
  /** 403 FORBIDDEN: the role's permissions have changed since they were fetched. */
  permissionsChanged: () => {},
};

const headers: Middleware = {
  onRequest({ request }) {
    const token = tokenFor(new URL(request.url).pathname);
    if (token) request.headers.set('Authorization', `Bearer ${token}`);
    request.headers.set('Accept-Language', currentLanguage());
    return request;
  },
};

const KEY = 'Idempotency-Key';

/** Sends a request. All but GET carry an Idempotency-Key, so that the server recognises a repeated write. */
async function send(request: Request): Promise<Response> {
  // Read fetch from globalThis on each call, so that tests can replace it.
  if (request.method === 'GET') return globalThis.fetch(request);
  const { method, url, headers, signal } = request;
  const text = await request.text();
  const content = `${method} ${url} ${text}`;
  const key = beginAttempt(content);
  headers.set(KEY, key);
  let status = 0;
  try {
    // A new request with a string body: a request whose body was read or cloned would be sent as a stream.
    const response = await globalThis.fetch(
      new Request(url, { method, headers, signal, body: text || null }),
    );
    status = response.status;
    return response;
  } finally {
    endAttempt(content, key, { status, aborted: signal.aborted });
  }
}

/** Typed by the server's OpenAPI document. Wrap each call in `call`. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: send,
});
api.use(headers);

interface Answer<Data> {
  /** The envelope. `data` is missing from the types of calls that return null. */
  data?: { success?: unknown; data?: Data };
  error?: unknown;
  response: Response;
}

/**
 * Returns the data of a successful call: `await call(api.GET('/admin/api/v1.0/auth/me'))`. Success is HTTP 200 with
 * `success: true`; anything else throws ApiError. `keepSession` is for calls that handle a rejected session themselves.
 */
export async function call<Data>(
  request: Promise<Answer<Data>>,
  { keepSession = false }: { keepSession?: boolean } = {},
): Promise<Data> {
  let answer: Answer<Data>;
  try {
    answer = await request;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw error instanceof SyntaxError ? new ApiError({ code: UNEXPECTED }) : networkError();
  }
  if (answer.response.status === 200 && isSuccess(answer.data)) return answer.data.data as Data;
  const error = toApiError(answer);
  if (!keepSession) reportToSession(error);
  throw error;
}

function isSuccess<Body extends { success?: unknown }>(body: Body | undefined): body is Body {
  return typeof body === 'object' && body !== null && body.success === true;
}

function toApiError({ data, error: body, response }: Answer<unknown>): ApiError {
  const requestId = response.headers.get('X-Request-Id') ?? '';
  const failure = failureOf(body ?? data);
  if (!failure) return new ApiError({ code: UNEXPECTED, status: response.status, requestId });
  return new ApiError({ requestId, ...failure, status: response.status });
}

interface Failure {
  code: string;
  message: string;
  fields?: FieldError[];
  details?: Record<string, unknown>;
  requestId?: string;
}

function failureOf(body: unknown): Failure | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null;
  const { error } = body;
  return typeof error === 'object' && error !== null && 'code' in error ? (error as Failure) : null;
}

/** A 401 about submitted credentials does not end the session. */
const CREDENTIAL_CODES = ['INVALID_CREDENTIALS', 'OTP_REQUIRED'];

function reportToSession({ status, code }: ApiError): void {
  if (status === 401 && !CREDENTIAL_CODES.includes(code)) sessionHandlers.lost();
  if (status === 403 && code === 'PASSWORD_CHANGE_REQUIRED') sessionHandlers.mustChangePassword();
  if (status === 403 && code === 'FORBIDDEN') sessionHandlers.permissionsChanged();
}
