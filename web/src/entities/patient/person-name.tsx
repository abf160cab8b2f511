import classes from '@/ui/row.module.css';

/** A name breaks between first and last name only: within a Thai name a line would break anywhere a word could end. */
export function PersonName({ name }: { name: string }) {
  const [first, ...rest] = name.split(' ');
  return (
    <>
      <span className={classes.whole}>{first}</span> <span className={classes.whole}>{rest.join(' ')}</span>
    </>
  );
}
