import {
  type Icon,
  IconCalendarEvent,
  IconCalendarMonth,
  IconChartBar,
  IconClockHour4,
  IconLayoutDashboard,
  IconListDetails,
  IconSettings,
  IconUserCog,
  IconUsers,
} from '@tabler/icons-react';
import { type LinkProps, useRouter } from '@tanstack/react-router';
import type { Permission } from '@/api/client';
import { usePermissions } from '@/entities/session/session';
import { type PageMeta, unmetRequirement } from './page-meta';

type Path = NonNullable<LinkProps['to']>;

/**
 * Order, grouping and icons of the menu. Titles and permissions are declared in each page's route (see page-meta.ts).
 */
interface NavPlan {
  to: Path;
  icon: Icon;
  children?: { to: Path; icon: Icon }[];
}

export const NAV: NavPlan[] = [
  { to: '/app/dashboard', icon: IconLayoutDashboard },
  { to: '/app/serviceSchedule', icon: IconClockHour4 },
  {
    to: '/app/appointment',
    icon: IconCalendarEvent,
    children: [
      { to: '/app/appointment/calendar', icon: IconCalendarMonth },
      { to: '/app/appointment/list', icon: IconListDetails },
    ],
  },
  { to: '/app/patient-management', icon: IconUsers },
  { to: '/app/report', icon: IconChartBar },
  { to: '/app/user-management', icon: IconUserCog },
  { to: '/app/global-config', icon: IconSettings },
];

export interface NavItem {
  to: Path;
  icon: Icon;
  title: NonNullable<PageMeta['title']>;
  children: NavItem[];
}

/**
 * Returns the menu entries that the user may see. `routesOf` returns the static data of a path's routes, outermost
 * first.
 */
export function visibleNav(
  plan: NavPlan[],
  held: readonly Permission[],
  routesOf: (path: Path) => PageMeta[],
): NavItem[] {
  return plan.flatMap(({ to, icon, children = [] }) => {
    const routes = routesOf(to);
    const title = routes.findLast((route) => route.title)?.title;
    if (!title || unmetRequirement(routes, held)) return [];
    const visibleChildren = visibleNav(children, held, routesOf);
    if (children.length > 0 && visibleChildren.length === 0) return [];
    return [{ to, icon, title, children: visibleChildren }];
  });
}

export function useNav(): NavItem[] {
  const router = useRouter();
  return visibleNav(NAV, usePermissions(), (path) => {
    const [routes] = router.getMatchedRoutes(path);
    return routes.map((route): PageMeta => route.options.staticData ?? {});
  });
}
