import { integer, matching, oneOf, or } from '@/lib/search-params';
import { isIsoDate } from '@/lib/thai-date';

export const PAGE_SIZES = [20, 50, 100] as const;
type PageSize = (typeof PAGE_SIZES)[number];

/** Sort and page of a list in the address. */
export interface TableState {
  /** The server's sort field, with "-" in front for descending. */
  sort: string;
  page: number;
  pageSize: PageSize;
}

/** Free text in the address. The router reads `?q=081` as a number. */
export function textParam(given: unknown): string {
  return typeof given === 'string' || typeof given === 'number' ? String(given) : '';
}

/** An id in the address; anything else is none. */
export const idParam = integer(1);

/** A date in the address, 'YYYY-MM-DD'; anything else is none. */
export const dateParam = matching(isIsoDate);

export const pageParam = or(integer(1), 1);
export const pageSizeParam = oneOf(PAGE_SIZES, 20);

/** `sortParam(['name', 'createdAt'], '-createdAt')`: one of the fields, in either direction. */
export function sortParam<const Field extends string>(
  fields: readonly Field[],
  fallback: Field | `-${Field}`,
) {
  const known: readonly string[] = fields;
  return or(
    matching((sort) => known.includes(sort.replace(/^-/, ''))),
    fallback,
  );
}
