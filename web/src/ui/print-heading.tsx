import { Text, Title } from '@mantine/core';
import print from './print.module.css';

interface PrintHeadingProps {
  title: string;
  /** What of it is on the paper: the filters in words. */
  criteria?: string;
}

/** What a printed list or report says above itself, where the screen has its filters. */
export function PrintHeading({ title, criteria }: PrintHeadingProps) {
  return (
    <div className={print.printed}>
      <Title order={2}>{title}</Title>
      {criteria && <Text size="sm">{criteria}</Text>}
    </div>
  );
}
