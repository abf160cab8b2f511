import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useToday } from './use-today';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('changes at the hospital’s midnight, and again the next night', () => {
  vi.setSystemTime(new Date('2026-11-16T23:59:58+07:00'));
  const { result } = renderHook(() => useToday());
  act(() => void vi.advanceTimersByTime(1000));
  expect(result.current).toBe('2026-11-16');
  act(() => void vi.advanceTimersByTime(1000));
  expect(result.current).toBe('2026-11-17');
  act(() => void vi.advanceTimersByTime(24 * 60 * 60 * 1000));
  expect(result.current).toBe('2026-11-18');
});

test('changes after midnight passed while the computer slept', () => {
  vi.setSystemTime(new Date('2026-11-16T17:00:00+07:00'));
  const { result } = renderHook(() => useToday());
  vi.setSystemTime(new Date('2026-11-17T07:30:00+07:00'));
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
  expect(result.current).toBe('2026-11-17');
});
