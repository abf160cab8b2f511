import { Badge, type MantineColor } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';

interface StatusBadgeProps {
  icon: Icon;
  color: MantineColor;
  children: string;
}

/** A state in words and with an icon; the colour only helps. */
export function StatusBadge({ icon: Icon, color, children }: StatusBadgeProps) {
  return (
    <Badge
      variant="light"
      color={color}
      size="md"
      radius="sm"
      tt="none"
      fw={500}
      fz="xs"
      // The light variant's own text colours are too pale in several hues; its icon keeps the colour.
      c="var(--mantine-color-text)"
      leftSection={
        <Icon size={14} stroke={2} aria-hidden color={`var(--mantine-color-${color}-light-color)`} />
      }
      styles={{ root: { flex: 'none' }, label: { overflow: 'visible' } }}
    >
      {children}
    </Badge>
  );
}
