import { type ReactNode, Suspense, useEffect, useState } from 'react';

interface LateDialogProps {
  opened: boolean;
  children: (opened: boolean) => ReactNode;
}

/** Holds a dialog that is `lazy`: its code is fetched when it is opened for the first time. */
export function LateDialog({ opened, children }: LateDialogProps) {
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

/** Drawn closed and opened then: a dialog that begins open does not know where the focus was, and cannot give it back. */
function ClosedFirst({ opened, children }: LateDialogProps) {
  const [drawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  return children(opened && drawn);
}
