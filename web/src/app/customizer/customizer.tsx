import { Drawer, Skeleton, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useT } from '@/i18n/provider';
import { steadyImport } from '@/lib/steady-import';

const Panel = lazy(() => steadyImport(() => import('./panel')));

/** How the screen looks, in one drawer. */
export function Customizer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={350}
      title={<Text fw={600}>{t.settings.title}</Text>}
      // Almost clear: a change is to be seen while it is made.
      overlayProps={{ backgroundOpacity: 0.1 }}
    >
      <Suspense fallback={<Skeleton h={480} />}>
        <Panel />
      </Suspense>
    </Drawer>
  );
}
