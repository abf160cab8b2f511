import { Collapse } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { Link, useMatchRoute } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { NavItem } from '@/app/nav';
import { useT } from '@/i18n/provider';
import classes from './nav-list.module.css';

interface NavListProps {
  items: NavItem[];
  onNavigate?: () => void;
}

/** The menu as a column, in the sidebar and in the drawer on small screens. */
export function NavList({ items, onNavigate }: NavListProps) {
  return (
    <ul className={classes.list}>
      {items.map((item) => (
        <li key={item.to}>
          {item.children.length > 0 ? (
            <NavGroup item={item} onNavigate={onNavigate} />
          ) : (
            <NavEntry item={item} onNavigate={onNavigate} />
          )}
        </li>
      ))}
    </ul>
  );
}

function NavEntry({ item, onNavigate }: { item: NavItem; onNavigate?: () => void }) {
  const t = useT();
  const Icon = item.icon;
  return (
    <Link to={item.to} className={classes.entry} onClick={onNavigate}>
      <Icon size={22} stroke={1.6} className={classes.icon} aria-hidden />
      <span className={classes.label}>{item.title(t)}</span>
    </Link>
  );
}

function NavGroup({ item, onNavigate }: { item: NavItem; onNavigate?: () => void }) {
  const t = useT();
  const [open, setOpen] = useState(true);
  const containsPage = Boolean(useMatchRoute()({ to: item.to, fuzzy: true }));
  const childrenId = useId();
  const Icon = item.icon;
  return (
    <>
      <button
        type="button"
        className={classes.entry}
        data-holds-page={containsPage || undefined}
        aria-expanded={open}
        aria-controls={childrenId}
        onClick={() => setOpen(!open)}
      >
        <Icon size={22} stroke={1.6} className={classes.icon} aria-hidden />
        <span className={classes.label}>{item.title(t)}</span>
        <IconChevronDown size={18} className={classes.chevron} aria-hidden />
      </button>
      <Collapse expanded={open} id={childrenId} className={classes.children} data-nav-children>
        <NavList items={item.children} onNavigate={onNavigate} />
      </Collapse>
    </>
  );
}
