import { z } from 'zod';

export const PAGE_SIZES = [20, 50, 100] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

/** How a list is sorted and paged, as its route keeps it in the address. */
export interface TableState {
  /** The server's sort field, with "-" in front for descending. */
  sort: string;
  page: number;
  pageSize: PageSize;
}

/** Free text in the address. The router reads `?q=081` as a number. */
export const textParam = z
  .union([z.string(), z.number().transform(String)])
  .default('')
  .catch('');

/** An id in the address; anything else is none. */
export const idParam = z.number().int().positive().optional().catch(undefined);

export const pageParam = z.number().int().min(1).default(1).catch(1);
export const pageSizeParam = z.literal(PAGE_SIZES).default(20).catch(20);

/** `sortParam(['name', 'createdAt'], '-createdAt')`: one of the fields, in either direction. */
export function sortParam<const Field extends string>(
  fields: readonly Field[],
  fallback: Field | `-${Field}`,
) {
  const known: readonly string[] = fields;
  return z
    .string()
    .refine((sort) => known.includes(sort.replace(/^-/, '')))
    .default(fallback)
    .catch(fallback);
}
