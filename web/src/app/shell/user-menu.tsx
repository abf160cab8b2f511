import { UnstyledButton } from '@mantine/core';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useUser } from '@/app/session';
import { useT } from '@/i18n/provider';
import { whenIdle } from '@/ui/use-idle';
import classes from './user-menu.module.css';

const AccountMenu = lazy(async () => ({ default: (await import('./account-menu')).AccountMenu }));

interface UserMenuProps {
  className?: string;
  onCustomize: () => void;
  onSignOut: () => void;
}

/** The user's name and role, at once; the menu behind them comes when there is time, or when it is asked for. */
export function UserMenu({ className, onCustomize, onSignOut }: UserMenuProps) {
  const t = useT();
  const { name, role } = useUser();
  const button = useRef<HTMLButtonElement>(null);
  const [menu, setMenu] = useState<'none' | 'closed' | 'open'>('none');
  useEffect(
    () =>
      whenIdle(() => {
        // The button is another one then: it must not be taken away from who has it in hand.
        if (document.activeElement !== button.current) setMenu((now) => (now === 'none' ? 'closed' : now));
      }),
    [],
  );
  const target = (onClick?: () => void) => (
    <UnstyledButton
      ref={button}
      className={`${className} ${classes.target}`}
      aria-label={t.frame.account(name, role)}
      aria-haspopup="menu"
      onClick={onClick}
    >
      <span className={classes.initial} aria-hidden>
        {initialOf(name)}
      </span>
      <span className={classes.names}>
        <span className={classes.name}>{name}</span>
        <span className={classes.role}>{role}</span>
      </span>
    </UnstyledButton>
  );
  const alone = target(() => setMenu('open'));
  if (menu === 'none') return alone;
  return (
    <Suspense fallback={alone}>
      <AccountMenu
        target={target()}
        defaultOpened={menu === 'open'}
        onCustomize={onCustomize}
        onSignOut={onSignOut}
      />
    </Suspense>
  );
}

/** Thai names are written from the first consonant: a leading vowel (เ แ โ ใ ไ) belongs to the one after it. */
function initialOf(name: string): string {
  return /[ก-ฮA-Za-z]/.exec(name)?.[0]?.toUpperCase() ?? '?';
}
