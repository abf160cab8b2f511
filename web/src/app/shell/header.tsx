import { ActionIcon, Title } from '@mantine/core';
import { IconLogout, IconMenu2, IconPalette } from '@tabler/icons-react';
import { usePage } from '@/app/use-page';
import { useSignOut } from '@/app/use-sign-out';
import { useT } from '@/i18n/provider';
import { Brand } from './brand';
import { Breadcrumbs } from './breadcrumbs';
import classes from './header.module.css';
import { LanguageButton } from './language-button';
import { LoadingBar } from './loading-bar';
import { QuickSearch } from './quick-search';
import { UserMenu } from './user-menu';

interface HeaderProps {
  /** The action of the menu button. Missing in the top-navigation layout, which has no sidebar. */
  menuToggle?: { label: string; onClick: () => void };
  showBrand: boolean;
  onCustomize: () => void;
}

export function Header({ menuToggle, showBrand, onCustomize }: HeaderProps) {
  const t = useT();
  const { title, crumbs } = usePage();
  const signOut = useSignOut();
  return (
    <header className={classes.header}>
      {menuToggle && (
        <ActionIcon className={classes.button} aria-label={menuToggle.label} onClick={menuToggle.onClick}>
          <IconMenu2 size={22} aria-hidden />
        </ActionIcon>
      )}
      {showBrand && (
        <div className={classes.brand}>
          <Brand />
        </div>
      )}
      <div className={classes.page}>
        <Title order={1} className={classes.title}>
          {title}
        </Title>
        <Breadcrumbs crumbs={crumbs} />
      </div>
      <QuickSearch />
      <div className={classes.tools}>
        <LanguageButton className={`${classes.button} ${classes.wide}`} />
        <ActionIcon
          className={`${classes.button} ${classes.wide}`}
          aria-label={t.frame.theme}
          title={t.frame.theme}
          onClick={onCustomize}
        >
          <IconPalette size={22} aria-hidden />
        </ActionIcon>
        <UserMenu className={classes.button} onCustomize={onCustomize} onSignOut={signOut.run} />
        <ActionIcon
          className={`${classes.button} ${classes.wide}`}
          aria-label={t.frame.signOut}
          title={t.frame.signOut}
          loading={signOut.pending}
          onClick={signOut.run}
        >
          <IconLogout size={22} aria-hidden />
        </ActionIcon>
      </div>
      <LoadingBar />
    </header>
  );
}
