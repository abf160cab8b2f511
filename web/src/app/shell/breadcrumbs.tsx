import { Link } from '@tanstack/react-router';
import type { Crumb } from '@/app/use-page';
import { useT } from '@/i18n/provider';
import classes from './breadcrumbs.module.css';

export function Breadcrumbs({ crumbs }: { crumbs: Crumb[] }) {
  const t = useT();
  return (
    <nav aria-label={t.frame.breadcrumbs} className={classes.nav}>
      <ol className={classes.list}>
        {crumbs.map(({ title, to }) => (
          <li key={`${to} ${title}`} className={classes.item}>
            {to ? <Link to={to}>{title}</Link> : <span aria-current="page">{title}</span>}
          </li>
        ))}
      </ol>
    </nav>
  );
}
