import { Kbd, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isAllowed } from '@/entities/session/permissions';
import { usePermissions } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { dropEarlySearch, listenForSearch } from './early-search';
import classes from './quick-search.module.css';
import { QuickSearchDialog } from './quick-search-dialog';
import { SOURCES } from './quick-search-sources';

const onMac = () => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The quick search: a button in the top bar, or Ctrl/⌘ K. Search texts are not stored. */
export function QuickSearch() {
  const t = useT();
  const held = usePermissions();
  const [opened, setOpened] = useState(false);
  const sources = SOURCES.filter(({ needs }) => isAllowed(needs, held));
  const allowed = sources.length > 0;
  const box = useRef<HTMLInputElement>(null);
  const open = () => {
    if (!allowed) return;
    // Render and focus the box synchronously: the next key may follow at once.
    flushSync(() => setOpened(true));
    box.current?.focus();
  };
  // Also inside inputs, and by the key's code, because the key types า on a Thai keyboard.
  useHotkeys(
    [
      ['mod+K', open],
      ['mod+K', open, { preventDefault: true, usePhysicalKeys: true }],
    ],
    [],
    true,
  );
  useEffect(() => {
    if (!allowed) dropEarlySearch();
    else if (listenForSearch()) setOpened(true);
  }, [allowed]);
  if (!allowed) return null;
  return (
    <>
      <UnstyledButton
        className={classes.open}
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onClick={open}
      >
        <IconSearch size={18} aria-hidden />
        <span className={classes.openText}>{t.quickSearch.open}</span>
        <Kbd size="xs" className={classes.openKey} aria-hidden>
          {onMac() ? '⌘ K' : 'Ctrl K'}
        </Kbd>
      </UnstyledButton>
      <QuickSearchDialog box={box} opened={opened} onClose={() => setOpened(false)} sources={sources} />
    </>
  );
}
