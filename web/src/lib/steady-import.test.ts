import { afterEach, expect, test, vi } from 'vitest';
import { steadyImport } from './steady-import';

afterEach(() => void vi.useRealTimers());

test('a failed import is tried again when the network is back', async () => {
  vi.useFakeTimers();
  const load = vi.fn().mockRejectedValueOnce(new TypeError('offline')).mockResolvedValue('module');
  const loaded = steadyImport(load);
  await vi.advanceTimersByTimeAsync(100);
  expect(load).toHaveBeenCalledOnce();
  window.dispatchEvent(new Event('online'));
  await expect(loaded).resolves.toBe('module');
});

test('a failed import is tried again after a while', async () => {
  vi.useFakeTimers();
  const load = vi.fn().mockRejectedValueOnce(new TypeError('no answer')).mockResolvedValue('module');
  const loaded = steadyImport(load);
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(loaded).resolves.toBe('module');
  expect(load).toHaveBeenCalledTimes(2);
});
