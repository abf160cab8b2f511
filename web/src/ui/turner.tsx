import { ActionIcon, Group } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import layout from './layout.module.css';
import print from './print.module.css';

interface TurnerProps {
  /** Accessible names of the arrows. */
  previous: string;
  next: string;
  onTurn: (step: -1 | 1) => void;
  /** The size of the arrows in px. */
  size?: number;
  /** Stands between the arrows. */
  children: ReactNode;
}

/** Arrows that show the previous and the next day, week, month or year. */
export function Turner({ previous, next, onTurn, size = 34, children }: TurnerProps) {
  const arrow = { variant: 'default', size } as const;
  return (
    <Group gap={4} wrap="nowrap" className={print.screen}>
      <ActionIcon {...arrow} aria-label={previous} title={previous} onClick={() => onTurn(-1)}>
        <IconChevronLeft size={18} aria-hidden className={layout.mirrored} />
      </ActionIcon>
      {children}
      <ActionIcon {...arrow} aria-label={next} title={next} onClick={() => onTurn(1)}>
        <IconChevronRight size={18} aria-hidden className={layout.mirrored} />
      </ActionIcon>
    </Group>
  );
}
