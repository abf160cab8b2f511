import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerWith, failure, success } from '@/test/server';
import { makeToken } from '@/test/token';
import { api, call, sessionHandlers } from './client';
import { ApiError } from './error';
import { removeTokens, storeTokens, tokenFor } from './token';

const me = () => call(api.GET('/admin/api/v1.0/auth/me'));
const handlers = { lost: vi.fn(), mustChangePassword: vi.fn(), permissionsChanged: vi.fn() };

beforeEach(() => {
  Object.assign(sessionHandlers, handlers);
  vi.clearAllMocks();
});
afterEach(() => {
  vi.unstubAllGlobals();
  removeTokens();
  document.documentElement.lang = 'th';
});

describe('call', () => {
  test('returns the data of a successful response', async () => {
    answerWith(success({ name: 'สมหญิง' }));
    await expect(me()).resolves.toEqual({ name: 'สมหญิง' });
  });

  test('returns null for null data', async () => {
    answerWith(success(null));
    await expect(call(api.POST('/admin/api/v1.0/auth/logout'))).resolves.toBeNull();
  });

  test('throws the server’s error', async () => {
    answerWith(
      failure(422, 'VALIDATION_FAILED', 'ข้อมูลไม่ถูกต้อง', {
        fields: [{ field: 'name', message: 'จำเป็น' }],
        details: { max: 3 },
      }),
    );
    await expect(me()).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      status: 422,
      message: 'ข้อมูลไม่ถูกต้อง',
      fields: [{ field: 'name', message: 'จำเป็น' }],
      details: { max: 3 },
      requestId: 'req-123',
    });
  });

  test.each([
    ['success false with 200', { body: { success: false, data: {} } }],
    ['success as text', { body: { success: 'true', data: {} } }],
    ['success true with 201', { status: 201, body: { success: true, data: {} } }],
    ['no envelope', { body: { name: 'x' } }],
    ['a list', { body: [] }],
    ['null', { body: null }],
    ['an error page of a proxy', { status: 502, body: '<html>Bad Gateway</html>' }],
    ['an error without a code', { status: 500, body: { error: 'boom' } }],
  ])('does not take %s for success', async (_, answer) => {
    answerWith(answer);
    await expect(me()).rejects.toMatchObject({
      name: 'ApiError',
      code: 'UNEXPECTED',
      requestId: 'header-id',
    });
  });

  test('an HTML response is an unexpected error', async () => {
    answerWith({ body: '<html>' });
    await expect(me()).rejects.toMatchObject({ code: 'UNEXPECTED' });
  });

  test('no response is a network error', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
    await expect(me()).rejects.toMatchObject({ code: 'NETWORK', status: 0 });
  });

  test('an aborted call throws AbortError', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new DOMException('aborted', 'AbortError')));
    await expect(me()).rejects.not.toBeInstanceOf(ApiError);
  });
});

describe('session handlers', () => {
  test.each([
    [401, 'UNAUTHENTICATED', 'lost'],
    [401, 'TOKEN_EXPIRED', 'lost'],
    [401, 'INVALID_CREDENTIALS', null],
    [401, 'OTP_REQUIRED', null],
    [403, 'PASSWORD_CHANGE_REQUIRED', 'mustChangePassword'],
    [403, 'FORBIDDEN', 'permissionsChanged'],
    [404, 'NOT_FOUND', null],
    [500, 'INTERNAL', null],
  ] as const)('%i %s', async (status, code, handler) => {
    answerWith(failure(status, code, 'ผิดพลาด'));
    await expect(me()).rejects.toBeInstanceOf(ApiError);
    for (const [name, called] of Object.entries(handlers)) {
      expect(called).toHaveBeenCalledTimes(name === handler ? 1 : 0);
    }
  });

  test('are not called with keepSession', async () => {
    answerWith(failure(401, 'UNAUTHENTICATED', 'ผิดพลาด'));
    const request = call(api.GET('/admin/api/v1.0/auth/permissions'), { keepSession: true });
    await expect(request).rejects.toBeInstanceOf(ApiError);
    expect(handlers.lost).not.toHaveBeenCalled();
  });
});

describe('request headers', () => {
  const tokens = {
    accessToken: makeToken({ exp: 1 }),
    smqAccessToken: makeToken({ exp: 2 }),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  };

  test('have the token and the language', async () => {
    const requests = answerWith(success({}));
    storeTokens(tokens);
    document.documentElement.lang = 'en';
    await me();
    expect(requests[0]?.headers.get('Authorization')).toBe(`Bearer ${tokens.accessToken}`);
    expect(requests[0]?.headers.get('Accept-Language')).toBe('en');
  });

  test('have no token without a session', async () => {
    const requests = answerWith(success({}));
    await me();
    expect(requests[0]?.headers.has('Authorization')).toBe(false);
    expect(requests[0]?.headers.get('Accept-Language')).toBe('th');
  });

  test('have the second token on customers calls only', () => {
    storeTokens(tokens);
    expect(tokenFor('/admin/api/v1.0/customers')).toBe(tokens.smqAccessToken);
    expect(tokenFor('/admin/api/v1.0/customers/7')).toBe(tokens.smqAccessToken);
    expect(tokenFor('/admin/api/v1.0/customers-other')).toBe(tokens.accessToken);
    expect(tokenFor('/admin/api/v1/patients/7')).toBe(tokens.accessToken);
  });
});
