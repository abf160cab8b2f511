import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sessionHandlers } from '@/api/client';
import { onLiveEvent } from '@/api/live-events';
import { useLiveStatus } from '@/api/live-status';
import { removeTokens, storeTokens } from '@/api/token';
import { failure } from '@/test/server';
import { LiveProvider } from './live';

const tokens = (accessToken: string) => ({
  accessToken,
  smqAccessToken: 'other',
  expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
});

/** The server side of the connections, in the order they were opened. */
let connections: { request: Request; say: (text: string) => void; end: () => void }[] = [];
let refusal: ReturnType<typeof failure> | null = null;
const connection = () => connections[connections.length - 1] as (typeof connections)[number];

const queryFn = vi.fn(() => Promise.resolve('rows'));
const lookAt = (hidden: boolean) => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(hidden);
  document.dispatchEvent(new Event('visibilitychange'));
};
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  vi.useFakeTimers();
  connections = [];
  refusal = null;
  queryFn.mockClear();
  storeTokens(tokens('first'));
  vi.stubGlobal('fetch', async (request: Request) => {
    let stream!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = controller;
      },
    });
    connections.push({
      request,
      say: (text) => stream.enqueue(new TextEncoder().encode(text)),
      end: () => stream.close(),
    });
    return refusal
      ? new Response(JSON.stringify(refusal.body), { status: refusal.status })
      : new Response(body);
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  removeTokens();
});

function Screen() {
  useQuery({ queryKey: ['appointment', 'list', {}], queryFn, staleTime: 30_000 });
  return <p>{useLiveStatus()}</p>;
}

async function setUp() {
  const { unmount } = render(
    <QueryClientProvider client={new QueryClient()}>
      <LiveProvider>
        <Screen />
      </LiveProvider>
    </QueryClientProvider>,
  );
  await pass(0);
  return unmount;
}

test('fetches nothing without an event while connected', async () => {
  await setUp();
  expect(screen.getByText('connecting')).toBeVisible();
  expect(connection().request.headers.get('Authorization')).toBe('Bearer first');
  connection().say('id: a-1\n\n');
  await pass(1000);
  expect(screen.getByText('live')).toBeVisible();
  queryFn.mockClear();
  for (let n = 0; n < 8; n += 1) {
    connection().say(': still here\n\n');
    await pass(15_000);
  }
  expect(queryFn).not.toHaveBeenCalled();
  connection().say('id: a-2\nevent: change\ndata: {"kind":"appointment","id":7,"date":"2026-11-17"}\n\n');
  await pass(1000);
  expect(queryFn).toHaveBeenCalledTimes(1);
  expect(connections).toHaveLength(1);
});

test('passes progress events to listeners without refetching', async () => {
  await setUp();
  connection().say('id: a-1\n\n');
  await pass(1000);
  queryFn.mockClear();
  const listener = vi.fn();
  const stop = onLiveEvent(listener);
  const say = (done: number) =>
    connection().say(`id: a-2\nevent: change\ndata: {"kind":"progress","id":5,"done":${done},"total":9}\n\n`);
  say(3);
  await pass(1000);
  stop();
  say(4);
  await pass(1000);
  expect(listener.mock.calls).toEqual([[{ kind: 'progress', id: 5, done: 3, total: 9 }]]);
  expect(queryFn).not.toHaveBeenCalled();
});

test('ignores a short loss; shows a longer one and polls until it is over', async () => {
  await setUp();
  connection().say('id: a-1\n\n');
  await pass(1000);
  queryFn.mockClear();
  connection().end();
  await pass(2000);
  expect(screen.getByText('connecting')).toBeVisible();
  connection().say(':\n\n');
  await pass(0);
  expect(screen.getByText('live')).toBeVisible();
  refusal = failure(503, 'UNAVAILABLE', 'หยุดชั่วคราว');
  connection().end();
  await pass(3000);
  expect(screen.getByText('lost')).toBeVisible();
  expect(queryFn).not.toHaveBeenCalled();
  await pass(46_000);
  expect(screen.getByText('lost')).toBeVisible();
  expect(queryFn).toHaveBeenCalledTimes(3);
  refusal = null;
  await pass(30_000);
  connection().say('id: b-9\nevent: change\ndata: {"kind":"refetch"}\n\n');
  expect(connection().request.headers.get('Last-Event-ID')).toBe('a-1');
  queryFn.mockClear();
  await pass(1000);
  expect(screen.getByText('live')).toBeVisible();
  expect(queryFn).toHaveBeenCalledTimes(1);
});

test('the connection ends with the session and starts with the next one', async () => {
  const unmount = await setUp();
  const first = connection();
  first.say(':\n\n');
  await pass(0);
  act(removeTokens);
  await pass(60_000);
  expect(first.request.signal.aborted).toBe(true);
  expect(connections).toHaveLength(1);
  act(() => storeTokens(tokens('second')));
  await pass(0);
  expect(connections).toHaveLength(2);
  expect(connection().request.headers.get('Authorization')).toBe('Bearer second');
  expect(connection().request.headers.get('Last-Event-ID')).toBeNull();
  unmount();
  await pass(60_000);
  expect(connection().request.signal.aborted).toBe(true);
  expect(connections).toHaveLength(2);
});

test('reports a session that was ended elsewhere', async () => {
  const lost = vi.spyOn(sessionHandlers, 'lost');
  refusal = failure(401, 'UNAUTHENTICATED', 'กรุณาเข้าสู่ระบบ');
  await setUp();
  expect(lost).toHaveBeenCalledTimes(1);
});

test('a hidden tab closes its connection after a while and catches up when visible', async () => {
  await setUp();
  connection().say('id: a-1\n\n');
  await pass(0);
  lookAt(true);
  await pass(5000);
  lookAt(false);
  await pass(20_000);
  expect(connections).toHaveLength(1);
  connection().say(':\n\n');
  lookAt(true);
  await pass(10_000);
  expect(connection().request.signal.aborted).toBe(true);
  await pass(120_000);
  expect(connections).toHaveLength(1);
  expect(screen.getByText('connecting')).toBeVisible();
  lookAt(false);
  await pass(0);
  expect(connections).toHaveLength(2);
  expect(connection().request.headers.get('Last-Event-ID')).toBe('a-1');
});
