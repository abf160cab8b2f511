import { UnstyledButton } from '@mantine/core';
import { lazy, Suspense, useId, useRef, useState } from 'react';
import { useUser } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { retryImport } from '@/lib/retry-import';
import { useIdle } from '@/ui/use-idle';
import classes from './user-menu.module.css';

const AccountMenu = lazy(async () => ({
  default: (await retryImport(() => import('./account-menu'))).AccountMenu,
}));

interface UserMenuProps {
  className?: string;
  onCustomize: () => void;
  onSignOut: () => void;
}

/**
 * The user's name and role. The menu itself is loaded when the browser is idle or the button is pressed. The button is
 * not replaced then, so it keeps the focus.
 */
export function UserMenu({ className, onCustomize, onSignOut }: UserMenuProps) {
  const t = useT();
  const { name, role } = useUser();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const idle = useIdle();
  return (
    <>
      <UnstyledButton
        ref={button}
        id={id}
        className={`${className} ${classes.target}`}
        aria-label={t.frame.account(name, role)}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span className={classes.initial} aria-hidden>
          {initialOf(name)}
        </span>
        <span className={classes.names}>
          <span className={classes.name}>{name}</span>
          <span className={classes.role}>{role}</span>
        </span>
      </UnstyledButton>
      {(idle || open) && (
        <Suspense fallback={null}>
          <AccountMenu
            id={id}
            target={button}
            open={open}
            onChange={setOpen}
            onCustomize={onCustomize}
            onSignOut={onSignOut}
          />
        </Suspense>
      )}
    </>
  );
}

/** Returns the first consonant: a leading Thai vowel (เ แ โ ใ ไ) belongs to the consonant after it. */
function initialOf(name: string): string {
  return /[ก-ฮA-Za-z]/.exec(name)?.[0]?.toUpperCase() ?? '?';
}
