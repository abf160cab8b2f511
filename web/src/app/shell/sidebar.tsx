import { ActionIcon } from '@mantine/core';
import { IconPin, IconPinFilled } from '@tabler/icons-react';
import { useNav } from '@/app/nav';
import { useSettings } from '@/app/settings';
import { useT } from '@/i18n/provider';
import { Brand } from './brand';
import { NavList } from './nav-list';
import classes from './sidebar.module.css';

/** The sidebar. Pinned, it is beside the page; unpinned, it is a strip of icons that expands on hover or focus. */
export function Sidebar() {
  const t = useT();
  const { settings, change } = useSettings();
  const { pinned } = settings;
  const PinIcon = pinned ? IconPinFilled : IconPin;
  return (
    <aside className={classes.sidebar} data-mini={!pinned || undefined}>
      <div className={classes.head}>
        <Brand />
        <ActionIcon
          className={classes.pin}
          variant="transparent"
          size={36}
          aria-label={pinned ? t.frame.unpin : t.frame.pin}
          onClick={() => change({ pinned: !pinned })}
        >
          <PinIcon size={18} aria-hidden />
        </ActionIcon>
      </div>
      <nav className={classes.nav} aria-label={t.frame.mainMenu}>
        <NavList items={useNav()} />
      </nav>
    </aside>
  );
}
