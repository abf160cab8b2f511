import classes from '@/ui/row.module.css';

/** A name that wraps between first and last name only: within a Thai name the browser would break anywhere. */
export function PersonName({ name }: { name: string }) {
  const [first, ...rest] = name.split(' ');
  return (
    <>
      <span className={classes.whole}>{first}</span> <span className={classes.whole}>{rest.join(' ')}</span>
    </>
  );
}
