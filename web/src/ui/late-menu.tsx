import { Menu } from '@mantine/core';
import { type ReactNode, type Ref, useId, useRef, useState } from 'react';
import { Lent, useLate } from './late';

/** What makes a button the menu's. */
interface MenuButtonProps {
  ref: Ref<HTMLButtonElement>;
  id: string;
  'aria-haspopup': 'menu';
  'aria-expanded': boolean;
  'aria-controls': string | undefined;
  onClick: () => void;
}

interface LateMenuProps {
  /** Of the button, for who has to find it again. */
  id?: string;
  button: (props: MenuButtonProps) => ReactNode;
  items: () => ReactNode;
  /** Several may be chosen, one after the other. */
  staysOpen?: boolean;
}

/** A menu below its button, made with the first click. */
export function LateMenu({ id, button, items, staysOpen }: LateMenuProps) {
  const ownId = useId();
  const menuId = id ?? ownId;
  const target = useRef<HTMLButtonElement>(null);
  const [wanted, setWanted] = useState(false);
  const { there, opened } = useLate(wanted);
  return (
    <>
      {button({
        ref: target,
        id: menuId,
        'aria-haspopup': 'menu',
        'aria-expanded': opened,
        'aria-controls': opened ? `${menuId}-dropdown` : undefined,
        onClick: () => setWanted(!wanted),
      })}
      {there && (
        <Menu
          id={menuId}
          position="bottom-end"
          shadow="md"
          opened={opened}
          onChange={setWanted}
          closeOnItemClick={!staysOpen}
        >
          <Menu.Target>
            <Lent target={target} />
          </Menu.Target>
          <Menu.Dropdown>{items()}</Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}
