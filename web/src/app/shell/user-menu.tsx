import { Menu, UnstyledButton } from '@mantine/core';
import { IconKey, IconLanguage, IconLogout, IconPalette, IconUserCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useUser } from '@/app/session';
import { useLanguage, useT } from '@/i18n/provider';
import classes from './user-menu.module.css';

interface UserMenuProps {
  className?: string;
  onCustomize: () => void;
  onSignOut: () => void;
}

/** The user's name and role. On a phone the menu also holds what does not fit in the top bar. */
export function UserMenu({ className, onCustomize, onSignOut }: UserMenuProps) {
  const t = useT();
  const { language, setLanguage } = useLanguage();
  const { name, role } = useUser();
  return (
    <Menu position="bottom-end" width={240} shadow="md">
      <Menu.Target>
        <UnstyledButton className={`${className} ${classes.target}`} aria-label={t.frame.account(name, role)}>
          <span className={classes.initial} aria-hidden>
            {initialOf(name)}
          </span>
          <span className={classes.names}>
            <span className={classes.name}>{name}</span>
            <span className={classes.role}>{role}</span>
          </span>
        </UnstyledButton>
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
          hiddenFrom="xs"
          leftSection={<IconLanguage size={18} aria-hidden />}
          onClick={() => void setLanguage(language === 'th' ? 'en' : 'th')}
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

/** Thai names are written from the first consonant: a leading vowel (เ แ โ ใ ไ) belongs to the one after it. */
function initialOf(name: string): string {
  return /[ก-ฮA-Za-z]/.exec(name)?.[0]?.toUpperCase() ?? '?';
}
