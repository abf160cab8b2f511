import classes from '@/ui/row.module.css';

/** A name that wraps between first and last name only: browsers would also break within a Thai name. */
export function PersonName({ name }: { name: string }) {
  const [first, ...rest] = name.split(' ');
  return (
    <>
      <span className={classes.whole}>{first}</span> <span className={classes.whole}>{rest.join(' ')}</span>
    </>
  );
}
