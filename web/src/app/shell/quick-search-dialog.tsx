import { CloseButton } from '@mantine/core';
import { type ComponentProps, useId, useLayoutEffect, useRef } from 'react';
import { useT } from '@/i18n/provider';
import classes from './quick-search.module.css';
import { QuickSearchPanel } from './quick-search-panel';

interface QuickSearchDialogProps extends ComponentProps<typeof QuickSearchPanel> {
  opened: boolean;
}

/**
 * The quick search. It uses a native dialog instead of Mantine's Modal, which would add 30 kB to the first load and
 * renders its input some frames after opening, so that keys typed in between would be lost.
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
      // The close event is asynchronous: the dialog may have been reopened by then.
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
