import type { Permission } from '@/api/client';
import { isAllowed, type Requirement } from '@/entities/session/permissions';
import type { Messages } from '@/i18n/th';

/**
 * The page information in a route's `staticData`. The guard, the sidebar, the page title and the breadcrumbs read it. A
 * page also requires the permissions of its parent routes.
 */
export interface PageMeta {
  title?: (t: Messages) => string;
  /** One of these permissions is needed to open the page and to see its menu entry. */
  permissions?: Requirement;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption extends PageMeta {}
}

/** Thrown by the guard; shown as the "no access" page inside the shell. */
export class NoAccessError extends Error {
  readonly needed: Requirement;

  constructor(needed: Requirement) {
    super(`needs ${needed.join(' or ')}`);
    this.name = 'NoAccessError';
    this.needed = needed;
  }
}

/** Returns the first unmet requirement of a page's routes, outermost first, or null if the page may be opened. */
export function unmetRequirement(
  routes: readonly { permissions?: Requirement }[],
  held: readonly Permission[],
): Requirement | null {
  return routes.map((route) => route.permissions ?? []).find((anyOf) => !isAllowed(anyOf, held)) ?? null;
}
