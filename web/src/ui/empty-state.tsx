import { Stack, Text } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  icon: Icon;
  /** Why the list is empty. */
  title: string;
  children?: ReactNode;
  /** The suggested action. */
  action?: ReactNode;
}

/** Replaces an empty list: the reason and a suggested action. */
export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <Stack className={classes.root} gap="xs">
      <span className={classes.icon}>
        <Icon size={24} stroke={1.6} aria-hidden />
      </span>
      <Text fw={600}>{title}</Text>
      {children && (
        <Text component="div" size="sm" c="dimmed">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
