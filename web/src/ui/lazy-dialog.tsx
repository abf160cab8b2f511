import { type ReactNode, Suspense, useEffect, useState } from 'react';

interface LazyDialogProps {
  opened: boolean;
  children: (opened: boolean) => ReactNode;
}

/** LazyDialog renders a `lazy` dialog, whose code is fetched when it is first opened. */
export function LazyDialog({ opened, children }: LazyDialogProps) {
  const [wanted, setWanted] = useState(opened);
  if (opened && !wanted) setWanted(true);
  return (
    wanted && (
      <Suspense fallback={null}>
        <ClosedFirst opened={opened}>{children}</ClosedFirst>
      </Suspense>
    )
  );
}

/** Renders the dialog closed first: one that starts open cannot return the focus to where it was. */
function ClosedFirst({ opened, children }: LazyDialogProps) {
  const [drawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  return children(opened && drawn);
}
