import type { ComponentProps, ReactNode } from 'react';
import classes from './legend.module.css';

/** The meaning of the colours: a list of swatches with their names. */
export function Legend({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <ul className={classes.legend} aria-label={label}>
      {children}
    </ul>
  );
}

interface SwatchProps extends ComponentProps<'span'> {
  /** As flat as the bars that have this colour. */
  flat?: boolean;
}

/** A sample of a colour, the custom property `--load` of the element. */
export function Swatch({ flat, ...props }: SwatchProps) {
  return <span className={classes.swatch} data-flat={flat} aria-hidden {...props} />;
}
