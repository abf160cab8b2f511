import { useRef } from 'react';

/** Returns the value, or the last one if there is none: a dialog keeps its text while it closes. */
export function useLast<Value>(value: Value | null | undefined): Value | null {
  const last = useRef<Value | null>(null);
  if (value !== null && value !== undefined) last.current = value;
  return last.current;
}
