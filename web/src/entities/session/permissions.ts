import type { Permission } from '@/api/client';

/** A list of permissions of which one is enough; an empty list requires none. */
export type Requirement = readonly Permission[];

export function isAllowed(anyOf: Requirement, held: readonly Permission[]): boolean {
  return anyOf.length === 0 || anyOf.some((permission) => held.includes(permission));
}
