import { afterEach, expect, test, vi } from 'vitest';
import { beginAttempt, endAttempt, forgetAttempts } from './attempts';

afterEach(() => {
  vi.useRealTimers();
  forgetAttempts();
});

test('what is on its way has one key; something else has another', () => {
  const key = beginAttempt('on its way');
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(beginAttempt('on its way')).toBe(key);
  expect(beginAttempt('something else')).not.toBe(key);
  for (const status of [200, 200]) endAttempt('on its way', key, status);
});

test('an answer ends the attempt; without one it is tried again with the same key', () => {
  const key = beginAttempt('tried');
  endAttempt('tried', key, 0);
  expect(beginAttempt('tried')).toBe(key);
  endAttempt('tried', key, 503);
  expect(beginAttempt('tried')).toBe(key);
  endAttempt('tried', key, 409);
  const next = beginAttempt('tried');
  expect(next).not.toBe(key);
  endAttempt('tried', next, 200);
  expect(beginAttempt('tried')).not.toBe(next);
});

test('what was given up is another attempt: after leaving the page, and after a while', () => {
  vi.useFakeTimers();
  const key = beginAttempt('given up');
  endAttempt('given up', key, 0);
  forgetAttempts();
  const later = beginAttempt('given up');
  expect(later).not.toBe(key);
  endAttempt('given up', later, 0);
  vi.advanceTimersByTime(120_000);
  expect(beginAttempt('given up')).not.toBe(later);
});
