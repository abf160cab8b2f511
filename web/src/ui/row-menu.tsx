import type { ReactNode } from 'react';
import { DeferredMenu } from './deferred-menu';
import classes from './row.module.css';

interface RowMenuProps {
  label: string;
  /** Of the button, for who has to find it again. */
  id?: string;
  items: () => ReactNode;
}

/** Everything that can be done with a row. */
export function RowMenu({ label, id, items }: RowMenuProps) {
  return (
    <DeferredMenu
      id={id}
      items={items}
      button={(props) => <button type="button" className={classes.menu} aria-label={label} {...props} />}
    />
  );
}
