/** shallowEqual compares two flat objects field by field. A missing field equals undefined. */
export function shallowEqual(a: object, b: object): boolean {
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((key) =>
    Object.is(one[key], other[key]),
  );
}
