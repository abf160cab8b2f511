import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';
import classes from './row.module.css';

function RowAnchor({ className = '', ...props }: ComponentPropsWithRef<'a'>) {
  return <a className={`${classes.link} ${className}`} {...props} />;
}

/** What a row of a list is called, leading to its page. */
export const RowLink = createLink(RowAnchor);
