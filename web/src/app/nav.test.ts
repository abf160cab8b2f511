import { QueryClient } from '@tanstack/react-query';
import { describe, expect, test } from 'vitest';
import type { Permission } from '@/api/client';
import { th } from '@/i18n/th';
import { createAppRouter } from '@/router';
import { NAV, type NavItem, visibleNav } from './nav';
import { type PageMeta, unmetRequirement } from './page-meta';

const router = createAppRouter(new QueryClient());

function routesOf(path: string): PageMeta[] {
  const [routes] = router.getMatchedRoutes(path);
  return routes.map((route): PageMeta => route.options.staticData ?? {});
}

const paths = (items: NavItem[]): string[] =>
  items.flatMap(({ to, children }) => (children.length > 0 ? paths(children) : [to]));

/** Menu entries that need no permission. */
const ALWAYS_SHOWN = ['/app/dashboard', '/app/appointment/calendar', '/app/appointment/list'];

const visiblePaths = (...held: Permission[]) => paths(visibleNav(NAV, held, routesOf));

describe('the menu', () => {
  test('without permissions has the dashboard, the calendar and the list', () => {
    expect(visiblePaths()).toEqual(ALWAYS_SHOWN);
  });

  test.each([
    ['SERVICE_SCHEDULE.SHOW', '/app/serviceSchedule'],
    ['SIDEBAR.PATIENTS', '/app/patient-management'],
    ['REPORT.SHOW', '/app/report'],
    ['SIDEBAR.USERS', '/app/user-management'],
    ['SIDEBAR.GLOBAL_CONFIG', '/app/global-config'],
  ] as const)('with %s also has %s', (permission, path) => {
    expect(visiblePaths(permission).filter((one) => !ALWAYS_SHOWN.includes(one))).toEqual([path]);
  });

  test('has its full order with all permissions', () => {
    expect(
      visiblePaths(
        'SERVICE_SCHEDULE.SHOW',
        'SIDEBAR.PATIENTS',
        'REPORT.SHOW',
        'SIDEBAR.USERS',
        'SIDEBAR.GLOBAL_CONFIG',
      ),
    ).toEqual([
      '/app/dashboard',
      '/app/serviceSchedule',
      '/app/appointment/calendar',
      '/app/appointment/list',
      '/app/patient-management',
      '/app/report',
      '/app/user-management',
      '/app/global-config',
    ]);
  });

  test('hides a group without visible entries', () => {
    const locked = (path: string): PageMeta[] => [
      { title: () => path, permissions: path === '/app/appointment' ? [] : ['ROLE.SHOW'] },
    ];
    expect(visibleNav(NAV, [], locked)).toEqual([]);
  });

  test('takes its titles from the pages', () => {
    const titles = visibleNav(NAV, [], routesOf).map((item) => item.title(th));
    expect(titles).toEqual(['แดชบอร์ด', 'นัดหมาย']);
  });
});

describe('what a page needs', () => {
  test.each([
    ['/app/dashboard', []],
    ['/app/appointment/list', []],
    ['/app/appointment/calendar', []],
    ['/app/appointment/create', [['APPOINTMENT.CREATE']]],
    ['/app/appointment/7/edit', [['APPOINTMENT.UPDATE', 'APPOINTMENT.MARK_STATUS']]],
    ['/app/appointment/7/diagnosisResults', [['RESULT.CREATE']]],
    ['/app/serviceSchedule', [['SERVICE_SCHEDULE.SHOW']]],
    ['/app/patient-management', [['SIDEBAR.PATIENTS']]],
    ['/app/patient-management/create', [['SIDEBAR.PATIENTS'], ['PATIENT.CREATE']]],
    ['/app/patient-management/7/edit', [['SIDEBAR.PATIENTS'], ['PATIENT.SHOW']]],
    ['/app/report', [['REPORT.SHOW']]],
    ['/app/user-management', [['SIDEBAR.USERS']]],
    ['/app/user-management/create', [['SIDEBAR.USERS'], ['USER.CREATE']]],
    ['/app/user-management/7/edit', [['SIDEBAR.USERS'], ['USER.UPDATE']]],
    ['/app/global-config', [['SIDEBAR.GLOBAL_CONFIG']]],
  ] satisfies [string, Permission[][]][])('%s needs %j', (path, needed) => {
    // One of each list is enough.
    const routes = routesOf(path);
    expect(routes.findLast((route) => route.title)?.title?.(th)).toBeTruthy();
    for (const anyOf of needed) {
      const others = needed.filter((list) => list !== anyOf).map(([permission]) => permission as Permission);
      expect(unmetRequirement(routes, others)).toEqual(anyOf);
      for (const one of anyOf) expect(unmetRequirement(routes, [...others, one])).toBeNull();
    }
    if (needed.length === 0) expect(unmetRequirement(routes, [])).toBeNull();
  });
});
