import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createEventParser, followEvents, IDLE_TIMEOUT_MS, type StreamEvent } from './event-stream';

function parser() {
  const events: StreamEvent[] = [];
  const ids: string[] = [];
  const retries: number[] = [];
  const push = createEventParser({
    onEvent: (event) => events.push(event),
    onId: (id) => ids.push(id),
    onRetry: (ms) => retries.push(ms),
  });
  return { push, events, ids, retries };
}

describe('the parser', () => {
  const TEXT =
    'retry: 2000\n\n: still here\n\nid: a-1\nevent: change\ndata: {"kind":"slot"}\n\nid: a-2\ndata:one\ndata: two\n\n';
  const EVENTS = [
    { id: 'a-1', name: 'change', data: '{"kind":"slot"}' },
    { id: 'a-2', name: 'message', data: 'one\ntwo' },
  ];

  test.each([
    ['\n', TEXT],
    ['\r\n', TEXT.replaceAll('\n', '\r\n')],
    ['\r', TEXT.replaceAll('\n', '\r')],
  ])('reads lines that end in %j, cut anywhere', (_, text) => {
    for (const size of [1, 2, 3, 7, text.length]) {
      const { push, events, retries } = parser();
      for (let at = 0; at < text.length; at += size) push(text.slice(at, at + size));
      expect(events).toEqual(EVENTS);
      expect(retries).toEqual([2000]);
    }
  });

  test('does not dispatch an incomplete event', () => {
    const { push, events } = parser();
    push('data: half');
    push('\n');
    expect(events).toEqual([]);
    push('\n');
    expect(events).toEqual([{ id: '', name: 'message', data: 'half' }]);
  });

  test('an id may come without an event and stays until the next', () => {
    const { push, events, ids } = parser();
    push('id: a-7\n\ndata: x\n\n');
    expect(ids).toEqual(['a-7', 'a-7']);
    expect(events).toEqual([{ id: 'a-7', name: 'message', data: 'x' }]);
  });

  test('ignores unknown fields, comments and an invalid retry', () => {
    const { push, events, retries } = parser();
    push(':data: no\nretry: soon\ncolour: red\ndata\n\n');
    expect(events).toEqual([{ id: '', name: 'message', data: '' }]);
    expect(retries).toEqual([]);
  });
});

/** A mock of the stream server: the test answers, feeds and ends each call of `open`. */
function streams() {
  const calls: { after: string; signal: AbortSignal; say: (text: string) => void; end: () => void }[] = [];
  let refusing = false;
  const open = (after: string, signal: AbortSignal) => {
    let stream!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = controller;
      },
    });
    calls.push({
      after,
      signal,
      say: (text) => stream.enqueue(new TextEncoder().encode(text)),
      end: () => stream.close(),
    });
    return refusing ? Promise.reject(new Error('refused')) : Promise.resolve(body);
  };
  return {
    calls,
    open,
    last: () => calls[calls.length - 1] as (typeof calls)[number],
    refuse: (now: boolean) => {
      refusing = now;
    },
  };
}

describe('the follower', () => {
  const settled = () => vi.advanceTimersByTimeAsync(0);
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(1);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  function setUp() {
    const server = streams();
    const told = { events: [] as string[], opened: [] as boolean[], lost: 0 };
    const follower = followEvents({
      open: server.open,
      onEvent: ({ data }) => told.events.push(data),
      onOpen: (resumed) => told.opened.push(resumed),
      onLoss: () => {
        told.lost += 1;
      },
    });
    follower.start();
    return { ...server, told, follower };
  }

  test('is open with the first data, and resumes after the last event', async () => {
    const { last, calls, told } = setUp();
    await settled();
    expect(told.opened).toEqual([]);
    last().say('retry: 1000\nid: a-4\n\n');
    await settled();
    expect(told.opened).toEqual([false]);
    last().say('id: a-5\ndata: five\n\nid: a-6\ndata: half');
    await settled();
    expect(told.events).toEqual(['five']);
    last().end();
    await settled();
    expect(told.lost).toBe(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(last().after).toBe('a-5');
    last().say('id: a-6\ndata: six\n\n');
    await settled();
    expect(told.opened).toEqual([false, true]);
    expect(told.events).toEqual(['five', 'six']);
  });

  test('doubles the delay after each failure up to 30 s, and resets it once open', async () => {
    const { calls, refuse, last, told } = setUp();
    refuse(true);
    last().end();
    const waits: number[] = [];
    for (let n = 1; n <= 6; n += 1) {
      let waited = 0;
      while (calls.length === n) {
        await vi.advanceTimersByTimeAsync(500);
        waited += 500;
      }
      waits.push(waited);
    }
    expect(waits).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000]);
    expect(told.lost).toBe(7);
    refuse(false);
    await vi.advanceTimersByTimeAsync(30_000);
    last().say(':\n\n');
    await settled();
    last().end();
    await vi.advanceTimersByTimeAsync(2000);
    expect(calls).toHaveLength(9);
  });

  test('adds jitter to the delay', async () => {
    vi.mocked(Math.random).mockReturnValue(0);
    const { calls, last } = setUp();
    await settled();
    last().end();
    await vi.advanceTimersByTimeAsync(1000);
    expect(calls).toHaveLength(2);
  });

  test('reconnects after the idle timeout, not after a heartbeat', async () => {
    const { last, calls, told } = setUp();
    last().say('retry: 2000\n\n');
    for (let n = 0; n < 10; n += 1) {
      await vi.advanceTimersByTimeAsync(15_000);
      last().say(': still here\n\n');
    }
    await settled();
    expect(told.lost).toBe(0);
    await vi.advanceTimersByTimeAsync(IDLE_TIMEOUT_MS - 1);
    expect(told.lost).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(told.lost).toBe(1);
    expect(last().signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(2000);
    expect(calls).toHaveLength(2);
  });

  test('times out if the server never responds', async () => {
    const { told, calls } = setUp();
    await vi.advanceTimersByTimeAsync(IDLE_TIMEOUT_MS + 2000);
    expect(told.lost).toBe(1);
    expect(calls).toHaveLength(2);
  });

  test('calls nothing after stop; resumes at once when started again', async () => {
    const { follower, last, calls, told } = setUp();
    last().say('id: a-1\ndata: one\n\n');
    await settled();
    follower.stop();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(last().signal.aborted).toBe(true);
    expect(calls).toHaveLength(1);
    expect(told).toEqual({ events: ['one'], opened: [false], lost: 0 });
    follower.start();
    await settled();
    expect(last().after).toBe('a-1');
    // Starting a running stream changes nothing; starting a waiting one retries at once.
    follower.start();
    expect(calls).toHaveLength(2);
    last().end();
    await settled();
    follower.start();
    expect(calls).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls).toHaveLength(3);
  });
});
