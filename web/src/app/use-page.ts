import { useMatches } from '@tanstack/react-router';
import { useT } from '@/i18n/provider';
import { NoAccessError } from './page-meta';

export interface Crumb {
  title: string;
  /** Missing for the page itself. */
  to?: string;
}

interface Page {
  title: string;
  crumbs: Crumb[];
}

/**
 * Returns the title and breadcrumbs of the current page from its routes. They do not depend on the search parameters.
 */
export function usePage(): Page {
  const t = useT();
  return useMatches({
    structuralSharing: true,
    select: (matches): Page => {
      const home = { title: t.app.home, to: '/app/dashboard' };
      const failed = matches.find((match) => match.status === 'error' || isNotFound(match));
      if (failed) {
        const title = isNotFound(failed)
          ? t.error.notFound
          : failed.error instanceof NoAccessError
            ? t.error.noAccess
            : t.error.failed;
        return { title, crumbs: [home, { title }] };
      }
      const titled = matches.flatMap(({ staticData, pathname }) =>
        staticData.title ? [{ title: staticData.title(t), to: pathname }] : [],
      );
      const title = titled.at(-1)?.title ?? t.app.product;
      return { title, crumbs: [home, ...titled.slice(0, -1), { title }] };
    },
  });
}

/** `_notFound` marks the deepest matching route of an address that does not exist. */
function isNotFound(match: { status: string; _notFound?: boolean }): boolean {
  return match.status === 'notFound' || match._notFound === true;
}
