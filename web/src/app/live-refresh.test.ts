import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LiveEvent } from '@/api/live-events';
import { createRefresher } from './live-refresh';

const TODAY = ['appointment', 'list', { dateFrom: '2026-11-17', dateTo: '2026-11-17' }];
const TOMORROW = ['appointment', 'list', { dateFrom: '2026-11-18', dateTo: '2026-11-18' }];
const EVENT: LiveEvent = { kind: 'appointment', id: 7, serviceId: 3, date: '2026-11-17', version: 2 };

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-17T09:00:00+07:00') });
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function setUp() {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 30_000 } } });
  client.mount();
  const refresher = createRefresher(client);
  /** A mounted query whose responses take this long; counts its fetches. */
  const show = async (queryKey: unknown[], takes = 20) => {
    const queryFn = vi.fn(
      () => new Promise((resolve) => setTimeout(() => resolve({ at: Date.now() }), takes)),
    );
    const observer = new QueryObserver(client, { queryKey, queryFn });
    const leave = observer.subscribe(() => {});
    await vi.advanceTimersByTimeAsync(10_000);
    queryFn.mockClear();
    return { queryFn, leave, observer };
  };
  return { client, refresher, show };
}

test('refetches the queries that an event concerns, and no others', async () => {
  const { refresher, show } = setUp();
  const [today, tomorrow] = [await show(TODAY), await show(TOMORROW)];
  refresher.handle(EVENT);
  await vi.advanceTimersByTimeAsync(300);
  expect(today.queryFn).toHaveBeenCalledTimes(1);
  expect(tomorrow.queryFn).not.toHaveBeenCalled();
});

test('keeps the old rows until the new ones arrive', async () => {
  const { refresher, show } = setUp();
  const { observer } = await show(TODAY, 400);
  const before = observer.getCurrentResult().data;
  refresher.handle(EVENT);
  await vi.advanceTimersByTimeAsync(100);
  expect(observer.getCurrentResult()).toMatchObject({ data: before, isFetching: true });
  await vi.advanceTimersByTimeAsync(400);
  expect(observer.getCurrentResult().data).not.toEqual(before);
});

test('a burst causes at most two requests per second, and the last event is not lost', async () => {
  const { refresher, show } = setUp();
  const { queryFn, observer } = await show(TODAY);
  for (let n = 0; n < 300; n += 1) {
    refresher.handle(EVENT);
    await vi.advanceTimersByTimeAsync(10);
  }
  const lastEvent = Date.now();
  await vi.advanceTimersByTimeAsync(2000);
  expect(queryFn.mock.calls.length).toBeGreaterThanOrEqual(5);
  expect(queryFn.mock.calls.length).toBeLessThanOrEqual(8);
  expect(observer.getCurrentResult().dataUpdatedAt).toBeGreaterThan(lastEvent);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(queryFn.mock.calls.length).toBeLessThanOrEqual(8);
});

test('requests a slow query less often and waits for its responses', async () => {
  const { refresher, show } = setUp();
  const { queryFn, observer } = await show(TODAY, 1000);
  const started = observer.getCurrentResult().dataUpdatedAt;
  for (let n = 0; n < 200; n += 1) {
    refresher.handle(EVENT);
    await vi.advanceTimersByTimeAsync(100);
  }
  // Within twenty seconds: at the start, then every three, which is three times the duration of a response.
  expect(queryFn.mock.calls.length).toBe(7);
  expect(observer.getCurrentResult().dataUpdatedAt).toBeGreaterThan(started);
  expect(observer.getCurrentResult().error).toBeNull();
});

test('does not refetch what the author of the change has already fetched', async () => {
  const { client, refresher, show } = setUp();
  const { queryFn } = await show(TODAY);
  refresher.handle(EVENT);
  await vi.advanceTimersByTimeAsync(10);
  void client.invalidateQueries({ queryKey: ['appointment'] });
  await vi.advanceTimersByTimeAsync(5000);
  expect(queryFn).toHaveBeenCalledTimes(1);
});

test('refetches after an event that arrives during a fetch', async () => {
  const { client, refresher, show } = setUp();
  const { queryFn } = await show(TODAY, 200);
  void client.invalidateQueries({ queryKey: ['appointment'] });
  await vi.advanceTimersByTimeAsync(100);
  refresher.handle(EVENT);
  await vi.advanceTimersByTimeAsync(5000);
  expect(queryFn).toHaveBeenCalledTimes(2);
});

test('refetches an inactive query when it is used', async () => {
  const { client, refresher, show } = setUp();
  const { queryFn, leave, observer } = await show(TODAY);
  leave();
  refresher.handle(EVENT);
  await vi.advanceTimersByTimeAsync(300);
  expect(queryFn).not.toHaveBeenCalled();
  expect(client.getQueryState(TODAY)?.isInvalidated).toBe(true);
  observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(300);
  expect(queryFn).toHaveBeenCalledTimes(1);
});

test('a new stream refetches earlier data, but not running fetches', async () => {
  const { client, refresher, show } = setUp();
  const today = await show(TODAY);
  const tomorrow = await show(TOMORROW, 300);
  void client.invalidateQueries({ queryKey: TOMORROW });
  await vi.advanceTimersByTimeAsync(10);
  refresher.catchUp();
  await vi.advanceTimersByTimeAsync(5000);
  expect(today.queryFn).toHaveBeenCalledTimes(1);
  expect(tomorrow.queryFn).toHaveBeenCalledTimes(1);
});

test('does nothing after stop', async () => {
  const { refresher, show } = setUp();
  const { queryFn } = await show(TODAY);
  refresher.handle(EVENT);
  refresher.stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(queryFn).not.toHaveBeenCalled();
});
