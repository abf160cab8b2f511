import {
  type UseMutateFunction,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query';
import { useMemo } from 'react';

/** A repeat this soon after the response is a double press: the screen may not have been updated yet. */
const DOUBLE_PRESS_MS = 600;

/** RecentWrites detects repeated writes: equal content while one is in flight, and for a moment after it succeeded. */
class RecentWrites {
  /** The dedupe key of each content in flight. */
  readonly #sending = new Map<string, string>();
  #done: { content: string; dedupeKey: string; at: number } | null = null;

  /** Returns false for a repeat, which must not be sent. */
  begin(variables: unknown, dedupeKey?: unknown): boolean {
    const content = contentOf(variables);
    const last = this.#done;
    const repeats =
      last?.content === content &&
      last.dedupeKey === contentOf(dedupeKey) &&
      performance.now() - last.at < DOUBLE_PRESS_MS;
    if (repeats || this.#sending.has(content)) return false;
    this.#sending.set(content, contentOf(dedupeKey));
    return true;
  }

  end(variables: unknown, done: boolean): void {
    const content = contentOf(variables);
    const dedupeKey = this.#sending.get(content) ?? '';
    this.#sending.delete(content);
    if (done) this.#done = { content, dedupeKey, at: performance.now() };
  }
}

function contentOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

/** useWrite is useMutation for writes: a double press sends the request once. */
export function useWrite<Data, Variables = void>({
  dedupeKey,
  ...options
}: UseMutationOptions<Data, Error, Variables> & {
  /** Writes with equal variables but another key are not repeats of each other. */
  dedupeKey?: unknown;
}): UseMutationResult<Data, Error, Variables> {
  const recent = useMemo(() => new RecentWrites(), []);
  const mutation = useMutation<Data, Error, Variables>({
    ...options,
    onSuccess: (...args) => {
      recent.end(args[1], true);
      return options.onSuccess?.(...args);
    },
    onError: (...args) => {
      recent.end(args[1], false);
      return options.onError?.(...args);
    },
  });
  const mutate: UseMutateFunction<Data, Error, Variables> = (...args) => {
    if (recent.begin(args[0], dedupeKey)) mutation.mutate(...args);
  };
  return { ...mutation, mutate } as UseMutationResult<Data, Error, Variables>;
}
