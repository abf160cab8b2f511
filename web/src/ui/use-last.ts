import { useRef } from 'react';

/** What there is, or else what there was last: a dialog that closes keeps its words until it has gone. */
export function useLast<Value>(value: Value | null | undefined): Value | null {
  const last = useRef<Value | null>(null);
  if (value !== null && value !== undefined) last.current = value;
  return last.current;
}
