import { afterEach, expect, test, vi } from 'vitest';
import { retryImport } from './retry-import';

afterEach(() => void vi.useRealTimers());

test('retries a failed import when the network is back', async () => {
  vi.useFakeTimers();
  const load = vi.fn().mockRejectedValueOnce(new TypeError('offline')).mockResolvedValue('module');
  const loaded = retryImport(load);
  await vi.advanceTimersByTimeAsync(100);
  expect(load).toHaveBeenCalledOnce();
  window.dispatchEvent(new Event('online'));
  await expect(loaded).resolves.toBe('module');
});

test('retries a failed import after a while', async () => {
  vi.useFakeTimers();
  const load = vi.fn().mockRejectedValueOnce(new TypeError('no answer')).mockResolvedValue('module');
  const loaded = retryImport(load);
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(loaded).resolves.toBe('module');
  expect(load).toHaveBeenCalledTimes(2);
});
