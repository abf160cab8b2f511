import { Menu } from '@mantine/core';
import { type ReactNode, type Ref, useId, useRef, useState } from 'react';
import { ExistingTarget, useDeferredOverlay } from './deferred-overlay';

/** The props that turn a button into the menu's button. */
interface MenuButtonProps {
  ref: Ref<HTMLButtonElement>;
  id: string;
  'aria-haspopup': 'menu';
  'aria-expanded': boolean;
  'aria-controls': string | undefined;
  onClick: () => void;
}

interface DeferredMenuProps {
  /** The id of the button. */
  id?: string;
  button: (props: MenuButtonProps) => ReactNode;
  items: () => ReactNode;
  /** The menu stays open after a choice. */
  staysOpen?: boolean;
}

/** A menu below its button, mounted with the first click. */
export function DeferredMenu({ id, button, items, staysOpen }: DeferredMenuProps) {
  const ownId = useId();
  const menuId = id ?? ownId;
  const target = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const { mounted, opened } = useDeferredOverlay(open);
  return (
    <>
      {button({
        ref: target,
        id: menuId,
        'aria-haspopup': 'menu',
        'aria-expanded': opened,
        'aria-controls': opened ? `${menuId}-dropdown` : undefined,
        onClick: () => setOpen(!open),
      })}
      {mounted && (
        <Menu
          id={menuId}
          position="bottom-end"
          shadow="md"
          opened={opened}
          onChange={setOpen}
          closeOnItemClick={!staysOpen}
        >
          <Menu.Target>
            <ExistingTarget target={target} />
          </Menu.Target>
          <Menu.Dropdown>{items()}</Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}
