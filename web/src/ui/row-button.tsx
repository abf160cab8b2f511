import { Loader } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import classes from './row.module.css';

interface RowButtonProps extends ComponentPropsWithRef<'button'> {
  /** What it does is under way. */
  busy?: boolean;
}

/** What is usually done next with a row of a list. */
export function RowButton({ busy, disabled, className = '', children, ...props }: RowButtonProps) {
  return (
    <button type="button" className={`${classes.button} ${className}`} disabled={disabled || busy} {...props}>
      {busy && <Loader size={14} className={classes.busy} />}
      <span data-busy={busy}>{children}</span>
    </button>
  );
}
