import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { focusWhenMounted } from '@/ui/when-mounted';

interface BareMessageProps {
  title: string;
  children: ReactNode;
  actions: ReactNode;
}

/** What became of a form outside the frame. It takes the form's place, and with it the focus. */
export function BareMessage({ title, children, actions }: BareMessageProps) {
  return (
    <>
      <Title order={1} mb="md" tabIndex={-1} ref={focusWhenMounted} style={{ outline: 'none' }}>
        {title}
      </Title>
      <Text role="status" size="sm" mb="lg">
        {children}
      </Text>
      <Group gap="xs">{actions}</Group>
    </>
  );
}
