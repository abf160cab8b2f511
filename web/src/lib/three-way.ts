/** Field names at which somebody else's saved change meets what stands in the form. */
export function clashes<Values extends Record<string, unknown>>(
  base: Values,
  mine: Values,
  theirs: Values,
): (keyof Values & string)[] {
  const fields = Object.keys(mine) as (keyof Values & string)[];
  return fields.filter((field) => theirs[field] !== base[field] && theirs[field] !== mine[field]);
}
