import type { Permission } from '@/api/client';
import { isAllowed, type Requirement } from '@/entities/session/permissions';
import type { Messages } from '@/i18n/th';

/**
 * What a route says about its page, in its `staticData`. The guard, the sidebar, the page title and the breadcrumbs all
 * read it here. A page also stands under everything its parent routes ask for.
 */
export interface PageMeta {
  title?: (t: Messages) => string;
  /** One of these is needed to open the page and to see its menu entry. */
  permissions?: Requirement;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption extends PageMeta {}
}

/** Thrown by the guard; shown as the "no access" page inside the frame. */
export class NoAccessError extends Error {
  readonly needed: Requirement;

  constructor(needed: Requirement) {
    super(`needs ${needed.join(' or ')}`);
    this.name = 'NoAccessError';
    this.needed = needed;
  }
}

/** The first requirement along a page's routes, outermost first, that is not met; null when the page may open. */
export function unmetRequirement(
  routes: readonly { permissions?: Requirement }[],
  held: readonly Permission[],
): Requirement | null {
  return routes.map((route) => route.permissions ?? []).find((anyOf) => !isAllowed(anyOf, held)) ?? null;
}
