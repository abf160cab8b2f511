import { type Ref, type RefObject, useEffect, useImperativeHandle, useState } from 'react';

/**
 * useDeferredOverlay mounts a menu or calendar when it is first opened: most are never opened, and rendering one costs
 * as much as a row of a list. It is opened one render after it was mounted, because its focus trap must exist before.
 */
export function useDeferredOverlay(open: boolean): { mounted: boolean; opened: boolean } {
  const [mounted, setMounted] = useState(open);
  const [opened, setOpened] = useState(false);
  if (open && !mounted) setMounted(true);
  useEffect(() => setOpened(open), [open]);
  return { mounted, opened };
}

interface ExistingTargetProps {
  target: RefObject<HTMLElement | null>;
  ref?: Ref<HTMLElement | null>;
}

/** The target of an overlay that was mounted after its button. */
export function ExistingTarget({ target, ref }: ExistingTargetProps) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => target.current, [target]);
  return null;
}
