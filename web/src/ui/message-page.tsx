import { Box, Group, Text, Title } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './message-page.module.css';

interface MessagePageProps {
  icon: Icon;
  title: ReactNode;
  /** h1 if the page has no shell; inside the shell the top bar has the h1. */
  headingOrder?: 1 | 2;
  children?: ReactNode;
  actions?: ReactNode;
}

/** A centred message: not found, no access, an error, or an empty page. */
export function MessagePage({ icon: Icon, title, headingOrder = 2, children, actions }: MessagePageProps) {
  return (
    <Box className={classes.root}>
      <span className={classes.icon}>
        <Icon size={28} stroke={1.6} aria-hidden />
      </span>
      <Title order={headingOrder} size="h1">
        {title}
      </Title>
      {children && (
        <Text component="div" size="md" c="dimmed">
          {children}
        </Text>
      )}
      {actions && (
        <Group mt="xs" justify="center">
          {actions}
        </Group>
      )}
    </Box>
  );
}
