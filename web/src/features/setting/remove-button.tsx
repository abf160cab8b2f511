import { Button, type ButtonProps } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ComponentProps } from 'react';

/** Removes an item from the settings. */
export function RemoveButton(props: ButtonProps & ComponentProps<'button'>) {
  return (
    <Button
      variant="subtle"
      color="red"
      size="xs"
      c="var(--mantine-color-error)"
      leftSection={<IconTrash size={14} aria-hidden />}
      {...props}
    />
  );
}
