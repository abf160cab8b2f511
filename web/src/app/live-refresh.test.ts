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
  /** A list on the screen whose answers take so long; what is counted is how often it was asked for. */
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

test('what an event is about is fetched again, what it is not about is not', async () => {
  const { refresher, show } = setUp();
  const [today, tomorrow] = [await show(TODAY), await show(TOMORROW)];
  refresher.tell(EVENT);
  await vi.advanceTimersByTimeAsync(300);
  expect(today.queryFn).toHaveBeenCalledTimes(1);
  expect(tomorrow.queryFn).not.toHaveBeenCalled();
});

test('the old rows stay until the new ones are there', async () => {
  const { refresher, show } = setUp();
  const { observer } = await show(TODAY, 400);
  const before = observer.getCurrentResult().data;
  refresher.tell(EVENT);
  await vi.advanceTimersByTimeAsync(100);
  expect(observer.getCurrentResult()).toMatchObject({ data: before, isFetching: true });
  await vi.advanceTimersByTimeAsync(400);
  expect(observer.getCurrentResult().data).not.toEqual(before);
});

test('a burst is at most two questions a second, and the last event is not lost', async () => {
  const { refresher, show } = setUp();
  const { queryFn, observer } = await show(TODAY);
  for (let n = 0; n < 300; n += 1) {
    refresher.tell(EVENT);
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

test('a slow server is asked less often, and its answers are waited for', async () => {
  const { refresher, show } = setUp();
  const { queryFn, observer } = await show(TODAY, 1000);
  const started = observer.getCurrentResult().dataUpdatedAt;
  for (let n = 0; n < 200; n += 1) {
    refresher.tell(EVENT);
    await vi.advanceTimersByTimeAsync(100);
  }
  // Within twenty seconds: at the start, then every three, three times as long as an answer takes.
  expect(queryFn.mock.calls.length).toBe(7);
  expect(observer.getCurrentResult().dataUpdatedAt).toBeGreaterThan(started);
  expect(observer.getCurrentResult().error).toBeNull();
});

test('who made the change has asked already', async () => {
  const { client, refresher, show } = setUp();
  const { queryFn } = await show(TODAY);
  refresher.tell(EVENT);
  await vi.advanceTimersByTimeAsync(10);
  void client.invalidateQueries({ queryKey: ['appointment'] });
  await vi.advanceTimersByTimeAsync(5000);
  expect(queryFn).toHaveBeenCalledTimes(1);
});

test('an event that comes while an answer is under way is not taken for known', async () => {
  const { client, refresher, show } = setUp();
  const { queryFn } = await show(TODAY, 200);
  void client.invalidateQueries({ queryKey: ['appointment'] });
  await vi.advanceTimersByTimeAsync(100);
  refresher.tell(EVENT);
  await vi.advanceTimersByTimeAsync(5000);
  expect(queryFn).toHaveBeenCalledTimes(2);
});

test('what nobody looks at is fetched when somebody does', async () => {
  const { client, refresher, show } = setUp();
  const { queryFn, leave, observer } = await show(TODAY);
  leave();
  refresher.tell(EVENT);
  await vi.advanceTimersByTimeAsync(300);
  expect(queryFn).not.toHaveBeenCalled();
  expect(client.getQueryState(TODAY)?.isInvalidated).toBe(true);
  observer.subscribe(() => {});
  await vi.advanceTimersByTimeAsync(300);
  expect(queryFn).toHaveBeenCalledTimes(1);
});

test('a stream that has just begun: what was fetched before it is fetched again, what is under way is not', async () => {
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

test('stopped, it does nothing more', async () => {
  const { refresher, show } = setUp();
  const { queryFn } = await show(TODAY);
  refresher.tell(EVENT);
  refresher.stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(queryFn).not.toHaveBeenCalled();
});
