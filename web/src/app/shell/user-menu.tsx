import { UnstyledButton } from '@mantine/core';
import { lazy, Suspense, useId, useRef, useState } from 'react';
import { useUser } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { steadyImport } from '@/lib/steady-import';
import { useIdle } from '@/ui/use-idle';
import classes from './user-menu.module.css';

const AccountMenu = lazy(async () => ({
  default: (await steadyImport(() => import('./account-menu'))).AccountMenu,
}));

interface UserMenuProps {
  className?: string;
  onCustomize: () => void;
  onSignOut: () => void;
}

/**
 * The user's name and role, at once; the menu behind them comes when there is time, or when it is asked for. The button
 * stays the same one: whoever has it in hand keeps it.
 */
export function UserMenu({ className, onCustomize, onSignOut }: UserMenuProps) {
  const t = useT();
  const { name, role } = useUser();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [wanted, setWanted] = useState(false);
  const idle = useIdle();
  return (
    <>
      <UnstyledButton
        ref={button}
        id={id}
        className={`${className} ${classes.target}`}
        aria-label={t.frame.account(name, role)}
        aria-haspopup="menu"
        aria-expanded={wanted}
        onClick={() => setWanted(!wanted)}
      >
        <span className={classes.initial} aria-hidden>
          {initialOf(name)}
        </span>
        <span className={classes.names}>
          <span className={classes.name}>{name}</span>
          <span className={classes.role}>{role}</span>
        </span>
      </UnstyledButton>
      {(idle || wanted) && (
        <Suspense fallback={null}>
          <AccountMenu
            id={id}
            target={button}
            wanted={wanted}
            onChange={setWanted}
            onCustomize={onCustomize}
            onSignOut={onSignOut}
          />
        </Suspense>
      )}
    </>
  );
}

/** Thai names are written from the first consonant: a leading vowel (เ แ โ ใ ไ) belongs to the one after it. */
function initialOf(name: string): string {
  return /[ก-ฮA-Za-z]/.exec(name)?.[0]?.toUpperCase() ?? '?';
}
