import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useT } from '@/i18n/provider';

interface FirstFewProps<Item> {
  items: Item[];
  few: number;
  children: (shown: Item[]) => ReactNode;
}

/** The first items of a long list, and a button for the others, so that the content below stays visible. */
export function FirstFew<Item>({ items, few, children }: FirstFewProps<Item>) {
  const t = useT();
  const [all, setAll] = useState(false);
  // Hiding a single item behind a button would save nothing.
  const long = items.length > few + 1;
  return (
    <>
      {children(long && !all ? items.slice(0, few) : items)}
      {long && (
        <Button
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          aria-expanded={all}
          onClick={() => setAll(!all)}
        >
          {all ? t.app.showFewer : t.app.showOthers(items.length - few)}
        </Button>
      )}
    </>
  );
}
