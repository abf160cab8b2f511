import { Drawer, VisuallyHidden } from '@mantine/core';
import { useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Customizer } from '@/app/customizer/customizer';
import { useHospital } from '@/app/hospital';
import { useLive } from '@/app/live';
import { useNav } from '@/app/nav';
import { useSettings } from '@/app/settings';
import { usePage } from '@/app/use-page';
import { useSessionWatch } from '@/app/use-session-watch';
import { useT } from '@/i18n/provider';
import { Brand } from './brand';
import { Header } from './header';
import { NavList } from './nav-list';
import classes from './shell.module.css';
import { Sidebar } from './sidebar';
import { TopNav } from './top-nav';

/** The frame of every signed-in page: menu, top bar, content. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useT();
  const { settings, change } = useSettings();
  const { layout, pinned } = settings;
  const wide = useMediaQuery('(min-width: 960px)', true, { getInitialValueInEffect: false }) ?? true;
  const [drawerOpen, setDrawerOpen] = useState(false);
  const [customizing, setCustomizing] = useState(false);
  const { title } = usePage();
  const hospital = useHospital();
  useDocumentTitle(t.app.documentTitle(title, hospital.name));
  useSessionWatch();

  const toggle = wide
    ? {
        label: pinned ? t.frame.collapseMenu : t.frame.expandMenu,
        onClick: () => change({ pinned: !pinned }),
      }
    : { label: t.frame.openMenu, onClick: () => setDrawerOpen(true) };
  const sidebar = wide && layout === 'side';
  const topNav = wide && layout === 'top';

  return (
    <div className={classes.shell} data-sidebar={sidebar ? (pinned ? 'pinned' : 'mini') : undefined}>
      <a href="#main" className={classes.skip}>
        {t.app.skipToContent}
      </a>
      {sidebar && <Sidebar />}
      <div className={classes.body}>
        <Header
          menuToggle={topNav ? undefined : toggle}
          showBrand={topNav}
          onCustomize={() => setCustomizing(true)}
        />
        {topNav && <TopNav />}
        <LossBanner />
        <main id="main" tabIndex={-1} className={classes.main}>
          {children}
        </main>
      </div>
      <MenuDrawer opened={!wide && drawerOpen} onClose={() => setDrawerOpen(false)} />
      <Customizer opened={customizing} onClose={() => setCustomizing(false)} />
      {/* Screen readers are told of a new page; the browser does that only for full loads. */}
      <VisuallyHidden role="status">{title}</VisuallyHidden>
    </div>
  );
}

/** Says that changes of others come late, and that nobody need do anything about it. */
function LossBanner() {
  const t = useT();
  const lost = useLive() === 'lost';
  return (
    <div role="status" className={classes.loss} data-lost={lost || undefined}>
      {lost && (
        <>
          <IconPlugConnectedX size={16} aria-hidden /> {t.frame.liveLost}
        </>
      )}
    </div>
  );
}

/** The menu of small screens. */
function MenuDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
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
