import {
  type UseMutateFunction,
  type UseMutationOptions,
  type UseMutationResult,
  useMutation,
} from '@tanstack/react-query';
import { useMemo } from 'react';

/** A second press so soon after the answer belongs to the first: what it was meant for is still on its way off the screen. */
const SAME_PRESS_MS = 600;

/** What was pressed: the same thing again is one press while it is sent, and for a moment after it was done. */
export class Presses {
  readonly #sending = new Set<string>();
  #done: { content: string; about: string; at: number } | null = null;
  #about = '';

  /** False for a press that is not one of its own. */
  begin(pressed: unknown, about?: unknown): boolean {
    const content = contentOf(pressed);
    const last = this.#done;
    const repeats =
      last?.content === content &&
      last.about === contentOf(about) &&
      performance.now() - last.at < SAME_PRESS_MS;
    if (repeats || this.#sending.has(content)) return false;
    this.#sending.add(content);
    this.#about = contentOf(about);
    return true;
  }

  end(pressed: unknown, done: boolean): void {
    const content = contentOf(pressed);
    this.#sending.delete(content);
    if (done) this.#done = { content, about: this.#about, at: performance.now() };
  }
}

function contentOf(pressed: unknown): string {
  return JSON.stringify(pressed) ?? '';
}

/** useMutation for what changes something on the server: a double press sends it once. */
export function useWrite<Data, Variables = void>({
  about,
  ...options
}: UseMutationOptions<Data, Error, Variables> & {
  /** What tells a press from the one before, beside the variables. */
  about?: unknown;
}): UseMutationResult<Data, Error, Variables> {
  const presses = useMemo(() => new Presses(), []);
  const mutation = useMutation<Data, Error, Variables>({
    ...options,
    onSuccess: (...args) => {
      presses.end(args[1], true);
      return options.onSuccess?.(...args);
    },
    onError: (...args) => {
      presses.end(args[1], false);
      return options.onError?.(...args);
    },
  });
  const mutate: UseMutateFunction<Data, Error, Variables> = (...args) => {
    if (presses.begin(args[0], about)) mutation.mutate(...args);
  };
  return { ...mutation, mutate } as UseMutationResult<Data, Error, Variables>;
}
