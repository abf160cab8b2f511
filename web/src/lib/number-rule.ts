import { z } from 'zod';

/** The value of a number input: a number, or '' (or a lone minus) if there is none. */
export type Typed = number | string;

/** An integer between two limits, both included. */
export function wholeNumber(low: number, high: number, message: string) {
  return z
    .union([z.number(), z.string()], { error: message })
    .refine(
      (value) =>
        value !== '' && Number.isInteger(Number(value)) && Number(value) >= low && Number(value) <= high,
      message,
    );
}
