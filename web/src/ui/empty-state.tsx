import { Stack, Text } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './empty-state.module.css';

interface EmptyStateProps {
  icon: Icon;
  /** Why there is nothing here. */
  title: string;
  children?: ReactNode;
  /** The button that helps. */
  action?: ReactNode;
}

/** Stands where a list would: why it is empty, and what helps. */
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
