/** Whole percent; less than all is never rounded up to 100. */
export function percent(part: number, whole: number): number {
  if (whole === 0) return 0;
  const exact = (part / whole) * 100;
  return part < whole ? Math.min(99, Math.round(exact)) : Math.round(exact);
}

/** Percent with one decimal, for rates that are compared. */
export function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
}
