/** How long an attempt whose outcome is unknown can be tried again as the same one. */
const MEMORY_MS = 120_000;

interface Attempt {
  key: string;
  /** Requests of it that are on their way. */
  sending: number;
  failedAt: number;
}

const attempts = new Map<string, Attempt>();

/** Random, also where the page is not served over https (crypto.randomUUID is not there). */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/**
 * The Idempotency-Key of a write that is sent now. It is the same for the same content while that is on its way or its
 * outcome is unknown, so that a second press and a retry are done once; the answer ends the attempt.
 */
export function beginAttempt(content: string): string {
  const last = attempts.get(content);
  const same = last && (last.sending > 0 || Date.now() - last.failedAt < MEMORY_MS) ? last : null;
  const attempt = same ?? { key: newKey(), sending: 0, failedAt: 0 };
  attempt.sending++;
  attempts.set(content, attempt);
  return attempt.key;
}

/** What came of it: the status of the answer, 0 for none. After a server in trouble the outcome is unknown as well. */
export function endAttempt(content: string, key: string, status: number): void {
  const attempt = attempts.get(content);
  if (attempt?.key !== key) return;
  attempt.sending--;
  if (status > 0 && status < 500) attempts.delete(content);
  else attempt.failedAt = Date.now();
}

/** Whoever leaves the page has given up what failed there: the same content is a new attempt. */
export function forgetAttempts(): void {
  for (const [content, { sending }] of attempts) if (sending === 0) attempts.delete(content);
}
