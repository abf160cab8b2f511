import { Paper, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './dashboard.module.css';

interface CardProps {
  title: string;
  /** Beside the title. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}

/** A section of the dashboard, as a landmark for screen readers. */
export function Card({ title, aside, className, children }: CardProps) {
  const id = useId();
  return (
    <Paper
      component="section"
      withBorder
      p="md"
      className={`${classes.card} ${className ?? ''}`}
      aria-labelledby={id}
    >
      <div className={classes.head}>
        <Title order={2} size="h3" id={id}>
          {title}
        </Title>
        {aside}
      </div>
      {children}
    </Paper>
  );
}
