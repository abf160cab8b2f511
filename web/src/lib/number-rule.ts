import { z } from 'zod';

/** What a number input holds: a number, or '' (or a lone minus) while there is none. */
export type Typed = number | string;

/** A whole number between two bounds, both included. */
export function wholeNumber(low: number, high: number, message: string) {
  return z
    .union([z.number(), z.string()], { error: message })
    .refine(
      (value) =>
        value !== '' && Number.isInteger(Number(value)) && Number(value) >= low && Number(value) <= high,
      message,
    );
}
