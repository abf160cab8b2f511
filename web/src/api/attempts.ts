/** How long a retry of an attempt with an unknown outcome reuses its key. */
const RETRY_WINDOW_MS = 120_000;

interface Attempt {
  key: string;
  /** Requests in flight. */
  sending: number;
  failedAt: number;
}

const attempts = new Map<string, Attempt>();

/** crypto.randomUUID exists only in secure contexts; the page may be served over plain HTTP. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/**
 * beginAttempt returns the Idempotency-Key for a write. Equal content gets the same key while a request is in flight or
 * its outcome is unknown, so the server performs a second press or a retry only once. A response ends the attempt.
 */
export function beginAttempt(content: string): string {
  const last = attempts.get(content);
  const same = last && (last.sending > 0 || Date.now() - last.failedAt < RETRY_WINDOW_MS) ? last : null;
  const attempt = same ?? { key: newKey(), sending: 0, failedAt: 0 };
  attempt.sending++;
  attempts.set(content, attempt);
  return attempt.key;
}

/**
 * endAttempt ends a request of an attempt. The attempt itself ends with a response below 500, and when the caller
 * aborted the request; without either (status 0 or a 5xx) the outcome is unknown, and a retry reuses the key.
 */
export function endAttempt(content: string, key: string, { status, aborted }: Outcome): void {
  const attempt = attempts.get(content);
  if (attempt?.key !== key) return;
  attempt.sending--;
  if (aborted || (status > 0 && status < 500)) attempts.delete(content);
  else attempt.failedAt = Date.now();
}

interface Outcome {
  /** Of the response; 0 if there was none. */
  status: number;
  aborted?: boolean;
}

/** forgetFailedAttempts is called when the user leaves a page: sending the same content later is a new attempt. */
export function forgetFailedAttempts(): void {
  for (const [content, { sending }] of attempts) if (sending === 0) attempts.delete(content);
}
