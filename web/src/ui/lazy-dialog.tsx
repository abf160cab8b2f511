import { type ReactNode, Suspense, useEffect, useState } from 'react';

interface LazyDialogProps {
  opened: boolean;
  children: (opened: boolean) => ReactNode;
}

/** LazyDialog renders a `lazy` dialog, whose code is fetched when it is first opened. */
export function LazyDialog({ opened, children }: LazyDialogProps) {
  const [loaded, setLoaded] = useState(opened);
  if (opened && !loaded) setLoaded(true);
  return (
    loaded && (
      <Suspense fallback={null}>
        <ClosedFirst opened={opened}>{children}</ClosedFirst>
      </Suspense>
    )
  );
}

/** Renders the dialog closed first: one that starts open cannot return the focus to where it was. */
function ClosedFirst({ opened, children }: LazyDialogProps) {
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  return children(opened && mounted);
}
