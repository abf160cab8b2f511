import type { MantineColor } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import classes from './status-badge.module.css';

interface StatusBadgeProps {
  icon: Icon;
  color: MantineColor;
  children: string;
}

/** A status as text and icon; the colour is only an aid. */
export function StatusBadge({ icon: Icon, color, children }: StatusBadgeProps) {
  return (
    <span className={classes.badge} style={{ background: `var(--mantine-color-${color}-light)` }}>
      <Icon size={14} stroke={2} aria-hidden color={`var(--mantine-color-${color}-light-color)`} />
      {children}
    </span>
  );
}
