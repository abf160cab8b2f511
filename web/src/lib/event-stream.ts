/** One Server-Sent Event. */
export interface StreamEvent {
  /** The id under which a reader that loses the connection can go on; empty while the server gave none. */
  id: string;
  name: string;
  data: string;
}

interface ParserHandlers {
  onEvent: (event: StreamEvent) => void;
  /** The id to go on from; it may come without an event. */
  onId: (id: string) => void;
  /** How long the server asks to wait before connecting again. */
  onRetry: (ms: number) => void;
}

/** Reads the text of a stream as it comes, cut anywhere. What stands after the last empty line is not told yet. */
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
  const take = (line: string) => {
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
    // A line may end in \r\n, \n or \r; the two halves of the first may come apart.
    const text = endedInReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    endedInReturn = chunk.endsWith('\r');
    const lines = (rest + text).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    lines.forEach(take);
  };
}

interface FollowOptions {
  /** Opens the stream after the event with this id; empty for none. Throws when there is no stream. */
  open: (after: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  onEvent: (event: StreamEvent) => void;
  /** The server talks. `resumed`: it was told where to go on, so nothing is missed without its saying so. */
  onOpen: (resumed: boolean) => void;
  /** The stream ended, broke off, fell silent, or could not be opened; it is opened again by itself. */
  onLoss: () => void;
}

export interface Follower {
  /** Begins, or goes on after a stop; while it waits to try again, tries at once. */
  start: () => void;
  stop: () => void;
}

/** The server says something every 15 s: two times of silence, and a little, are a connection that is lost. */
export const SILENCE_MS = 35_000;
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;

/**
 * Follows a stream of Server-Sent Events for as long as it is wanted. A lost one is opened again where it broke off, after
 * a wait that doubles with each failure and is different for everybody: a server that comes back is not stormed.
 */
export function followEvents({ open, onEvent, onOpen, onLoss }: FollowOptions): Follower {
  let after = '';
  let retry = FIRST_WAIT_MS;
  let failures = 0;
  let attempt: AbortController | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;

  const read = async (signal: AbortSignal, heard: () => void) => {
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
        retry = Math.min(ms, LONGEST_WAIT_MS);
      },
    });
    for (let first = true; ; first = false) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      heard();
      // Not before it says something: what stands between may hold back a stream that it lets begin.
      if (first) {
        failures = 0;
        onOpen(resumed);
      }
      parse(decoder.decode(value, { stream: true }));
    }
  };

  const run = async () => {
    clearTimeout(waiting);
    waiting = undefined;
    const mine = new AbortController();
    attempt = mine;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => mine.abort(), SILENCE_MS);
    };
    heard();
    // Why it failed makes no difference: whoever is refused for good is signed out by `open`.
    await read(mine.signal, heard).catch(() => {});
    clearTimeout(silence);
    if (attempt !== mine) return;
    attempt = undefined;
    mine.abort();
    const wait = Math.min(retry * 2 ** failures, LONGEST_WAIT_MS);
    failures += 1;
    waiting = setTimeout(() => void run(), wait * (0.5 + Math.random() / 2));
    onLoss();
  };

  return {
    start: () => {
      if (attempt) return;
      failures = 0;
      void run();
    },
    stop: () => {
      clearTimeout(waiting);
      waiting = undefined;
      const running = attempt;
      attempt = undefined;
      running?.abort();
    },
  };
}
