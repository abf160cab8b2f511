/** One Server-Sent Event. */
export interface StreamEvent {
  /** The id to resume from after a lost connection; empty if the server sent none. */
  id: string;
  name: string;
  data: string;
}

interface ParserHandlers {
  onEvent: (event: StreamEvent) => void;
  /** The id to resume from; it may come without an event. */
  onId: (id: string) => void;
  /** The reconnection time requested by the server. */
  onRetry: (ms: number) => void;
}

/**
 * createEventParser parses a stream from chunks cut anywhere. Text after the last empty line waits for the next chunk.
 */
export function createEventParser({ onEvent, onId, onRetry }: ParserHandlers): (chunk: string) => void {
  let rest = '';
  let endedInReturn = false;
  let id = '';
  let name = '';
  let data: string[] = [];

  const dispatch = () => {
    onId(id);
    if (data.length > 0) onEvent({ id, name: name || 'message', data: data.join('\n') });
    name = '';
    data = [];
  };
  const parseLine = (line: string) => {
    if (line === '') return dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') name = value;
    if (field === 'id' && !value.includes('\0')) id = value;
    if (field === 'retry' && /^\d+$/.test(value)) onRetry(Number(value));
  };
  return (chunk) => {
    if (chunk === '') return;
    // A line ends in \r\n, \n or \r; a chunk may end between \r and \n.
    const text = endedInReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    endedInReturn = chunk.endsWith('\r');
    const lines = (rest + text).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    lines.forEach(parseLine);
  };
}

interface FollowOptions {
  /** Opens the stream after the event with this id, or from the start if it is empty. Throws if it cannot. */
  open: (after: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  onEvent: (event: StreamEvent) => void;
  /**
   * Called with the first data. `resumed`: the request had an id, and the server reports if events after it are lost.
   */
  onOpen: (resumed: boolean) => void;
  /** Called when the stream ended, failed, timed out or could not be opened. It is reopened automatically. */
  onLoss: () => void;
}

export interface Follower {
  /** Starts or restarts the stream. Retries at once if it is retryTimer. */
  start: () => void;
  stop: () => void;
}

/** The server sends something every 15 s: after two such intervals and a margin the connection counts as lost. */
export const IDLE_TIMEOUT_MS = 35_000;
const MIN_DELAY_MS = 2_000;
const MAX_DELAY_MS = 30_000;

/**
 * followEvents follows a stream of Server-Sent Events until it is stopped. A lost stream is resumed after a delay that
 * doubles with each failure. The delay has jitter, so that clients do not all reconnect at once after a restart.
 */
export function followEvents({ open, onEvent, onOpen, onLoss }: FollowOptions): Follower {
  let after = '';
  let retry = MIN_DELAY_MS;
  let failures = 0;
  let attempt: AbortController | undefined;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;

  const read = async (signal: AbortSignal, resetTimeout: () => void) => {
    const resumed = after !== '';
    const reader = (await open(after, signal)).getReader();
    const cancel = () => void reader.cancel().catch(() => {});
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    const decoder = new TextDecoder();
    const parse = createEventParser({
      onEvent: (event) => signal.aborted || onEvent(event),
      onId: (id) => {
        after = id || after;
      },
      onRetry: (ms) => {
        retry = Math.min(ms, MAX_DELAY_MS);
      },
    });
    for (let first = true; ; first = false) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      resetTimeout();
      // Not on open: a proxy may send the headers and buffer the stream.
      if (first) {
        failures = 0;
        onOpen(resumed);
      }
      parse(decoder.decode(value, { stream: true }));
    }
  };

  const run = async () => {
    clearTimeout(retryTimer);
    retryTimer = undefined;
    const controller = new AbortController();
    attempt = controller;
    let timeout: ReturnType<typeof setTimeout> | undefined;
    const resetTimeout = () => {
      clearTimeout(timeout);
      timeout = setTimeout(() => controller.abort(), IDLE_TIMEOUT_MS);
    };
    resetTimeout();
    // The reason does not matter: `open` signs the user out if the session was rejected.
    await read(controller.signal, resetTimeout).catch(() => {});
    clearTimeout(timeout);
    if (attempt !== controller) return;
    attempt = undefined;
    controller.abort();
    const delay = Math.min(retry * 2 ** failures, MAX_DELAY_MS);
    failures += 1;
    retryTimer = setTimeout(() => void run(), delay * (0.5 + Math.random() / 2));
    onLoss();
  };

  return {
    start: () => {
      if (attempt) return;
      failures = 0;
      void run();
    },
    stop: () => {
      clearTimeout(retryTimer);
      retryTimer = undefined;
      const running = attempt;
      attempt = undefined;
      running?.abort();
    },
  };
}
