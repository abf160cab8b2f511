import { useDocumentTitle, useMediaQuery } from '@mantine/hooks';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useLiveStatus } from '@/api/live-status';
import { useSettings } from '@/app/settings';
import { usePage } from '@/app/use-page';
import { useSessionWatch } from '@/app/use-session-watch';
import { useHospital } from '@/entities/hospital/hospital';
import { useLanguage, useT } from '@/i18n/provider';
import { retryImport } from '@/lib/retry-import';
import { formatDateTime } from '@/lib/thai-date';
import { LazyDialog } from '@/ui/lazy-dialog';
import print from '@/ui/print.module.css';
import { usePrinting } from '@/ui/use-printing';
import { Header } from './header';
import classes from './shell.module.css';
import { Sidebar } from './sidebar';
import { usePreloadPages } from './use-preload-pages';

const Customizer = lazy(async () => ({
  default: (await retryImport(() => import('@/app/customizer/customizer'))).Customizer,
}));
const TopNav = lazy(async () => ({ default: (await retryImport(() => import('./top-nav'))).TopNav }));
const MenuDrawer = lazy(async () => ({
  default: (await retryImport(() => import('./menu-drawer'))).MenuDrawer,
}));

/** The layout of every signed-in page: menu, top bar, content. */
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
  usePreloadPages();

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
        {topNav && (
          <Suspense fallback={<div className={classes.topNav} />}>
            <TopNav />
          </Suspense>
        )}
        <LossBanner />
        <PrintHead hospital={hospital.name} page={title} />
        <main id="main" tabIndex={-1} className={classes.main}>
          {children}
        </main>
      </div>
      <LazyDialog opened={!wide && drawerOpen}>
        {(opened) => <MenuDrawer opened={opened} onClose={() => setDrawerOpen(false)} />}
      </LazyDialog>
      <LazyDialog opened={customizing}>
        {(opened) => <Customizer opened={opened} onClose={() => setCustomizing(false)} />}
      </LazyDialog>
      {/* Announces a new page to screen readers; the browser does that only for full page loads. */}
      <span className="heard" role="status">
        {title}
      </span>
    </div>
  );
}

/** The header of every printed page: hospital, page title and time. */
function PrintHead({ hospital, page }: { hospital: string; page: string }) {
  const t = useT();
  const { language } = useLanguage();
  usePrinting();
  return (
    <div className={print.printed}>
      <div className={classes.printHead}>
        <span>
          <strong>{hospital}</strong> · {page}
        </span>
        <span>{t.frame.printedAt(formatDateTime(new Date(), language))}</span>
      </div>
    </div>
  );
}

/** Shown while the event stream is lost: changes by other users appear with a delay. */
function LossBanner() {
  const t = useT();
  const lost = useLiveStatus() === 'lost';
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
