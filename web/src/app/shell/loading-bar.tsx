import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useT } from '@/i18n/provider';
import classes from './loading-bar.module.css';

/**
 * A thin line below the top bar while a page, its first data or a save is pending. Background refetches do not show it,
 * because changes by other users would keep it visible.
 */
export function LoadingBar() {
  const t = useT();
  const navigating = useRouterState({ select: (state) => state.status === 'pending' });
  const fetching = useIsFetching({ predicate: ({ state }) => state.data === undefined }) > 0;
  const saving = useIsMutating() > 0;
  if (!navigating && !fetching && !saving) return null;
  return (
    <div className={classes.track} role="progressbar" aria-label={t.app.loading}>
      <div className={classes.bar} />
    </div>
  );
}
