import { Tabs } from '@mantine/core';
import type { CSSProperties } from 'react';
import print from './print.module.css';
import classes from './tab-row.module.css';

interface TabRowProps<Name extends string> {
  label: string;
  tabs: readonly Name[];
  words: Record<Name, string>;
  className?: string;
  mb?: 'sm' | 'md';
}

/** Tabs that are all visible: in a row or, if they do not fit, in equal columns. Not printed. */
export function TabRow<Name extends string>({ label, tabs, words, className = '', mb }: TabRowProps<Name>) {
  const columns = { '--columns': tabs.length > 4 ? 3 : 2 } as CSSProperties;
  return (
    <Tabs.List
      mb={mb}
      aria-label={label}
      className={`${classes.row} ${print.screen} ${className}`}
      data-many={tabs.length > 4 || undefined}
      style={columns}
    >
      {tabs.map((name) => (
        <Tabs.Tab key={name} value={name} className={classes.tab}>
          {words[name]}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}
