import { CloseButton } from '@mantine/core';
import { type ComponentProps, useId, useLayoutEffect, useRef } from 'react';
import { useT } from '@/i18n/provider';
import classes from './quick-search.module.css';
import { QuickSearchPanel } from './quick-search-panel';

interface QuickSearchDialogProps extends ComponentProps<typeof QuickSearchPanel> {
  opened: boolean;
}

/**
 * The search over the page. The browser's own dialog, not the kit's: that comes with 30 kB, which every first load would
 * have to fetch, and its box is there only some frames after it was opened; what is typed meanwhile would be lost.
 */
export function QuickSearchDialog({ opened, onClose, box, sources }: QuickSearchDialogProps) {
  const t = useT();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useLayoutEffect(() => {
    if (!opened) return;
    const shown = dialog.current;
    shown?.showModal();
    box.current?.focus();
    return () => shown?.close();
  }, [opened, box]);
  return (
    <dialog
      ref={dialog}
      className={classes.dialog}
      aria-labelledby={titleId}
      // The event comes later than the closing; by then it may have been opened again.
      onClose={() => dialog.current?.open || onClose()}
      onPointerDown={(event) => event.target === dialog.current && onClose()}
    >
      {opened && (
        <div className={classes.content}>
          <div className={classes.head}>
            <h2 id={titleId} className={classes.title}>
              {t.quickSearch.title}
            </h2>
            <CloseButton onClick={onClose} />
          </div>
          <QuickSearchPanel box={box} sources={sources} onClose={onClose} />
        </div>
      )}
    </dialog>
  );
}
