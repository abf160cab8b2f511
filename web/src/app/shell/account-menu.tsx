import { Menu } from '@mantine/core';
import {
  IconBook,
  IconKey,
  IconLanguage,
  IconLogout,
  IconPalette,
  IconUserCircle,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { RefObject } from 'react';
import { useOtherLanguage } from '@/app/use-other-language';
import { useUser } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { ExistingTarget, useDeferredOverlay } from '@/ui/deferred-overlay';
import classes from './user-menu.module.css';

interface AccountMenuProps {
  /** The id of the button. */
  id: string;
  target: RefObject<HTMLElement | null>;
  open: boolean;
  onChange: (open: boolean) => void;
  onCustomize: () => void;
  onSignOut: () => void;
}

/** The menu behind the user's name. On phones it also has the actions that do not fit in the top bar. */
export function AccountMenu({ id, target, open, onChange, onCustomize, onSignOut }: AccountMenuProps) {
  const t = useT();
  const changeLanguage = useOtherLanguage();
  const { name, role } = useUser();
  const { opened } = useDeferredOverlay(open);
  return (
    <Menu id={id} position="bottom-end" width={240} shadow="md" opened={opened} onChange={onChange}>
      <Menu.Target>
        <ExistingTarget target={target} />
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.label}>
          {name}
          <br />
          {role}
        </div>
        <Menu.Item component={Link} to="/app/profile" leftSection={<IconUserCircle size={18} aria-hidden />}>
          {t.frame.profile}
        </Menu.Item>
        <Menu.Item component={Link} to="/app/change-password" leftSection={<IconKey size={18} aria-hidden />}>
          {t.frame.changePassword}
        </Menu.Item>
        <Menu.Item
          component="a"
          href="/guide.html"
          target="_blank"
          hrefLang="th"
          leftSection={<IconBook size={18} aria-hidden />}
        >
          {t.frame.guide}
        </Menu.Item>
        <Menu.Item
          hiddenFrom="xs"
          leftSection={<IconLanguage size={18} aria-hidden />}
          onClick={changeLanguage}
        >
          {t.language.switchToOtherLong}
        </Menu.Item>
        <Menu.Item hiddenFrom="xs" leftSection={<IconPalette size={18} aria-hidden />} onClick={onCustomize}>
          {t.frame.theme}
        </Menu.Item>
        <Menu.Item hiddenFrom="xs" leftSection={<IconLogout size={18} aria-hidden />} onClick={onSignOut}>
          {t.frame.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
