import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { focusOnMount } from '@/ui/on-mount';

interface BareMessageProps {
  title: string;
  children: ReactNode;
  actions: ReactNode;
}

/** The result of a form outside the shell. It replaces the form and takes the focus. */
export function BareMessage({ title, children, actions }: BareMessageProps) {
  return (
    <>
      <Title order={1} mb="md" tabIndex={-1} ref={focusOnMount} style={{ outline: 'none' }}>
        {title}
      </Title>
      <Text role="status" size="sm" mb="lg">
        {children}
      </Text>
      <Group gap="xs">{actions}</Group>
    </>
  );
}
