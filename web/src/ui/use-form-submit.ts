import type { UseFormReturnType } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '@/api/error';
import { useT } from '@/i18n/provider';
import { showFailure } from './toast';
import { useWrite } from './use-write';

interface Submission<Values, Result> {
  send: (values: Values) => Promise<Result>;
  onSuccess: (result: Result, values: Values) => unknown;
  /** See useWrite: separates two submissions with equal values. */
  dedupeKey?: unknown;
  /** Called after the server's field errors are set on the inputs. Return true if the error is handled. */
  onError?: (error: unknown) => boolean | undefined;
}

/**
 * Submits a form, one request at a time. A failed save keeps the typed values. The server's `fields` are set as errors
 * on the inputs of the same name, and the first of them is focused; other errors are in `error` for an ErrorAlert.
 */
export function useFormSubmit<Values extends Record<string, unknown>, Result>(
  form: UseFormReturnType<Values>,
  { send, onSuccess, onError, dedupeKey }: Submission<Values, Result>,
) {
  const t = useT();
  const unmounted = useRef(false);
  useEffect(() => {
    unmounted.current = false;
    return () => {
      unmounted.current = true;
    };
  }, []);
  const queryClient = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const { mutate, isPending } = useWrite<Result, Values>({
    dedupeKey,
    mutationFn: send,
    onMutate: () => setError(null),
    // A promise returned here (a navigation, say) keeps the form pending until it settles. If the form was unmounted
    // meanwhile, onSuccess is skipped and the data on the screen is refetched.
    onSuccess: (result, values) =>
      unmounted.current ? queryClient.invalidateQueries() : onSuccess(result, values),
    onError: (failure) => {
      if (unmounted.current) return showFailure(t, failure);
      const placed = placeFieldErrors(form, failure);
      setError(onError?.(failure) || placed ? null : failure);
    },
  });
  const onSubmit = form.onSubmit(
    (values) => {
      if (!isPending) mutate(values);
    },
    (errors) => focusFirst(form, Object.keys(errors)),
  );
  return { onSubmit, pending: isPending, error };
}

/** Returns true if every field error belongs to an input. */
function placeFieldErrors<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  failure: unknown,
): boolean {
  if (!(failure instanceof ApiError) || failure.fields.length === 0) return false;
  const faults = failure.fields.map(({ field, message }) => ({ path: pathOf(field), message }));
  const known = faults.filter(({ path }) => holds(form.getValues(), path));
  const errors = Object.fromEntries(known.map(({ path, message }) => [path, message]));
  form.setErrors(errors);
  focusFirst(form, Object.keys(errors));
  return known.length === failure.fields.length;
}

/** 'allergies[0].substance' (server) → 'allergies.0.substance' (form). */
function pathOf(field: string): string {
  return field.replace(/\[(\d+)\]/g, '.$1');
}

function holds(values: unknown, path: string): boolean {
  const [key = '', ...rest] = path.split('.');
  if (typeof values !== 'object' || values === null || !(key in values)) return false;
  return rest.length === 0 || holds((values as Record<string, unknown>)[key], rest.join('.'));
}

/** The first one on the screen, whatever the order of the errors. */
function focusFirst<Values extends Record<string, unknown>>(
  form: UseFormReturnType<Values>,
  fields: string[],
): void {
  // The inputs may still be disabled in this frame.
  requestAnimationFrame(() => {
    const inputs = fields.map((field) => form.getInputNode(field));
    const first = [...document.querySelectorAll<HTMLElement>('[data-path]')].find((node) =>
      inputs.includes(node),
    );
    first?.focus();
  });
}
