import { Drawer } from '@mantine/core';
import { useNav } from '@/app/nav';
import { useT } from '@/i18n/provider';
import { Brand } from './brand';
import { NavList } from './nav-list';
import classes from './shell.module.css';

/** The menu on small screens. */
export function MenuDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={300}
      title={<Brand />}
      closeButtonProps={{ 'aria-label': t.frame.closeMenu }}
      classNames={{ content: classes.drawer, header: classes.drawerHeader, close: classes.drawerClose }}
    >
      <Menu onNavigate={onClose} />
    </Drawer>
  );
}

function Menu({ onNavigate }: { onNavigate: () => void }) {
  const t = useT();
  return (
    <nav aria-label={t.frame.mainMenu}>
      <NavList items={useNav()} onNavigate={onNavigate} />
    </nav>
  );
}
