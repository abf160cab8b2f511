import { Modal } from '@mantine/core';
import type { ComponentProps } from 'react';
import { useT } from '@/i18n/provider';
import { usePhone } from '@/ui/use-phone';
import classes from './quick-search.module.css';
import { QuickSearchPanel } from './quick-search-panel';

interface QuickSearchDialogProps extends ComponentProps<typeof QuickSearchPanel> {
  opened: boolean;
}

export function QuickSearchDialog({ opened, onClose, sources }: QuickSearchDialogProps) {
  const t = useT();
  const phone = usePhone();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t.quickSearch.title}
      size={640}
      yOffset="8vh"
      fullScreen={phone}
      classNames={{ body: classes.body }}
    >
      <QuickSearchPanel sources={sources} onClose={onClose} />
    </Modal>
  );
}
