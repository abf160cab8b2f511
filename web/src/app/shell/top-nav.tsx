import { Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { Link, useMatchRoute } from '@tanstack/react-router';
import { type NavItem, useNav } from '@/app/nav';
import { useT } from '@/i18n/provider';
import classes from './top-nav.module.css';

/** The menu as a row below the top bar. */
export function TopNav() {
  const t = useT();
  return (
    <nav className={classes.nav} aria-label={t.frame.mainMenu}>
      <ul className={classes.list}>
        {useNav().map((item) => (
          <li key={item.to}>{item.children.length > 0 ? <Group item={item} /> : <Entry item={item} />}</li>
        ))}
      </ul>
    </nav>
  );
}

function Entry({ item }: { item: NavItem }) {
  const t = useT();
  const Icon = item.icon;
  return (
    <Link to={item.to} className={classes.entry}>
      <Icon size={18} stroke={1.6} aria-hidden />
      {item.title(t)}
    </Link>
  );
}

function Group({ item }: { item: NavItem }) {
  const t = useT();
  const containsPage = Boolean(useMatchRoute()({ to: item.to, fuzzy: true }));
  const Icon = item.icon;
  return (
    <Menu position="bottom-start" shadow="md">
      <Menu.Target>
        <button type="button" className={classes.entry} data-holds-page={containsPage || undefined}>
          <Icon size={18} stroke={1.6} aria-hidden />
          {item.title(t)}
          <IconChevronDown size={16} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {item.children.map((child) => (
          <Menu.Item
            key={child.to}
            component={Link}
            to={child.to}
            leftSection={<child.icon size={18} stroke={1.6} aria-hidden />}
          >
            {child.title(t)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
