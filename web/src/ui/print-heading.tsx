import { Text, Title } from '@mantine/core';
import print from './print.module.css';

interface PrintHeadingProps {
  title: string;
  /** The filters in words. */
  criteria?: string;
}

/** The heading of a printed list or report; the screen shows its filters instead. */
export function PrintHeading({ title, criteria }: PrintHeadingProps) {
  return (
    <div className={print.printed}>
      <Title order={2}>{title}</Title>
      {criteria && <Text size="sm">{criteria}</Text>}
    </div>
  );
}
