import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { useWrite } from './use-write';

const client = new QueryClient();
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{children}</QueryClientProvider>
);

/** A mock whose calls are settled one by one with `answer`. */
function pending() {
  const answers: ((error?: Error) => void)[] = [];
  const send = vi.fn(
    (_: unknown) =>
      new Promise<void>((resolve, reject) => {
        answers.push((error) => (error ? reject(error) : resolve()));
      }),
  );
  return { send, answer: (error?: Error) => act(async () => answers.shift()?.(error)) };
}

test('equal variables are sent once while in flight and shortly after', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const { send, answer } = pending();
  const { result } = renderHook(() => useWrite<void, unknown>({ mutationFn: send }), { wrapper });
  const press = (what: unknown) => act(async () => result.current.mutate(what));
  await press({ id: 1 });
  await press({ id: 1 });
  expect(send).toHaveBeenCalledTimes(1);
  await answer();
  now.mockReturnValue(1120);
  await press({ id: 1 });
  expect(send).toHaveBeenCalledTimes(1);
  now.mockReturnValue(1700);
  await press({ id: 1 });
  expect(send).toHaveBeenCalledTimes(2);
});

test('other variables are sent in parallel, and a failure can be retried at once', async () => {
  const { send, answer } = pending();
  const { result } = renderHook(() => useWrite<void, unknown>({ mutationFn: send }), { wrapper });
  const press = (what: unknown) => act(async () => result.current.mutate(what));
  await press({ id: 1 });
  await press({ id: 2 });
  expect(send).toHaveBeenCalledTimes(2);
  await answer(new Error('rejected'));
  await press({ id: 1 });
  expect(send).toHaveBeenCalledTimes(3);
});
