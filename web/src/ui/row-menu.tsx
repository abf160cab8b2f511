import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import classes from './row.module.css';

interface RowMenuProps {
  label: string;
  /** Of the button, for who has to find it again. */
  id?: string;
  items: () => ReactNode;
}

/** Everything that can be done with a row. The menu itself comes with the first click: nearly all of a list stay shut. */
export function RowMenu({ label, id, items }: RowMenuProps) {
  const ownId = useId();
  const menuId = id ?? ownId;
  const button = useRef<HTMLButtonElement>(null);
  const [wanted, setWanted] = useState(false);
  const [opened, setOpened] = useState(false);
  // Only once it is there: it keeps where the focus was when it opens, not when it comes.
  useEffect(() => setOpened(wanted), [wanted]);
  return (
    <>
      <button
        ref={button}
        type="button"
        id={menuId}
        className={classes.menu}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={opened}
        aria-controls={opened ? `${menuId}-dropdown` : undefined}
        onClick={() => (wanted ? setOpened(!opened) : setWanted(true))}
      >
        <IconDots size={18} aria-hidden />
      </button>
      {wanted && (
        <Menu id={menuId} position="bottom-end" shadow="md" opened={opened} onChange={setOpened}>
          <Menu.Target>
            <Lent target={button} />
          </Menu.Target>
          <Menu.Dropdown>{items()}</Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}

/** Gives the menu a button that stood there before it. */
function Lent({
  target,
  ref,
}: {
  target: RefObject<HTMLButtonElement | null>;
  ref?: Ref<HTMLButtonElement | null>;
}) {
  useImperativeHandle<HTMLButtonElement | null, HTMLButtonElement | null>(ref, () => target.current, [
    target,
  ]);
  return null;
}
