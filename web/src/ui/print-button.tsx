import { Button, type ButtonProps } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import print from './print.module.css';

/** Prints the page. */
export function PrintButton(props: ButtonProps) {
  return (
    <Button
      variant="default"
      className={print.screen}
      leftSection={<IconPrinter size={16} aria-hidden />}
      onClick={() => window.print()}
      {...props}
    />
  );
}
