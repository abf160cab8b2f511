import { afterEach, expect, test, vi } from 'vitest';
import { beginAttempt, endAttempt, forgetFailedAttempts } from './attempts';

afterEach(() => {
  vi.useRealTimers();
  forgetFailedAttempts();
});

test('a request in flight keeps its key; other content gets another one', () => {
  const key = beginAttempt('in flight');
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(beginAttempt('in flight')).toBe(key);
  expect(beginAttempt('something else')).not.toBe(key);
  for (const status of [200, 200]) endAttempt('in flight', key, { status });
});

test('a response ends the attempt; a retry after a failure reuses the key', () => {
  const key = beginAttempt('tried');
  endAttempt('tried', key, { status: 0 });
  expect(beginAttempt('tried')).toBe(key);
  endAttempt('tried', key, { status: 503 });
  expect(beginAttempt('tried')).toBe(key);
  endAttempt('tried', key, { status: 409 });
  const next = beginAttempt('tried');
  expect(next).not.toBe(key);
  endAttempt('tried', next, { status: 200 });
  expect(beginAttempt('tried')).not.toBe(next);
});

test('a failed attempt expires when the page is left, and after a timeout', () => {
  vi.useFakeTimers();
  const key = beginAttempt('failed');
  endAttempt('failed', key, { status: 0 });
  forgetFailedAttempts();
  const later = beginAttempt('failed');
  expect(later).not.toBe(key);
  endAttempt('failed', later, { status: 0 });
  vi.advanceTimersByTime(120_000);
  expect(beginAttempt('failed')).not.toBe(later);
});

test('an aborted request leaves nothing behind', () => {
  const key = beginAttempt('a search');
  endAttempt('a search', key, { status: 0, aborted: true });
  expect(beginAttempt('a search')).not.toBe(key);
});
