import { Drawer, Skeleton, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useT } from '@/i18n/provider';
import { retryImport } from '@/lib/retry-import';

const Panel = lazy(() => retryImport(() => import('./panel')));

/** The drawer with the appearance settings. */
export function Customizer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={350}
      title={<Text fw={600}>{t.settings.title}</Text>}
      // Nearly transparent, so that the effect of a change is visible.
      overlayProps={{ backgroundOpacity: 0.1 }}
    >
      <Suspense fallback={<Skeleton h={480} />}>
        <Panel />
      </Suspense>
    </Drawer>
  );
}
