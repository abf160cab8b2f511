import { Kbd, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { lazy, useEffect, useState } from 'react';
import { isAllowed } from '@/app/permissions';
import { usePermissions } from '@/app/session';
import { useT } from '@/i18n/provider';
import { LateDialog } from '@/ui/late-dialog';
import { whenIdle } from '@/ui/use-idle';
import classes from './quick-search.module.css';
import { SOURCES } from './quick-search-sources';

const fetchDialog = () => import('./quick-search-dialog');
const QuickSearchDialog = lazy(async () => ({ default: (await fetchDialog()).QuickSearchDialog }));

const onMac = () => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** From anywhere to a patient: the button in the top bar, or Ctrl/⌘ K. Nothing that was searched is kept. */
export function QuickSearch() {
  const t = useT();
  const held = usePermissions();
  const [opened, setOpened] = useState(false);
  const sources = SOURCES.filter(({ needs }) => isAllowed(needs, held));
  const allowed = sources.length > 0;
  const open = () => allowed && setOpened(true);
  // Inside inputs, too; and by the key's place as well, since on a Thai keyboard it writes า.
  useHotkeys(
    [
      ['mod+K', open],
      ['mod+K', open, { preventDefault: true, usePhysicalKeys: true }],
    ],
    [],
    true,
  );
  // What was pressed before anybody could hear it has been kept (public/boot.js). What is typed next must find the box.
  useEffect(() => {
    if (!allowed) return;
    const { dataset } = document.documentElement;
    if (dataset.search === 'asked') setOpened(true);
    dataset.search = 'here';
    return whenIdle(() => void fetchDialog().catch(() => null));
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
      <LateDialog opened={opened}>
        {(shown) => <QuickSearchDialog opened={shown} onClose={() => setOpened(false)} sources={sources} />}
      </LateDialog>
    </>
  );
}
