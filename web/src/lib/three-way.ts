/** Field names at which somebody else's saved change meets what stands in the form. */
export function clashes<Values extends Record<string, unknown>>(
  base: Values,
  mine: Values,
  theirs: Values,
): (keyof Values & string)[] {
  const fields = Object.keys(mine) as (keyof Values & string)[];
  return fields.filter((field) => theirs[field] !== base[field] && theirs[field] !== mine[field]);
}

/** The fields that somebody else has changed since `base`, and I have, too, to something else. */
export function bothChanged<Values extends Record<string, unknown>>(
  base: Values,
  mine: Values,
  theirs: Values,
): (keyof Values & string)[] {
  return clashes(base, mine, theirs).filter((field) => mine[field] !== base[field]);
}

/** Mine, with some fields as they have them. */
export function withTheirs<Values extends Record<string, unknown>>(
  mine: Values,
  theirs: Values,
  fields: (keyof Values & string)[],
): Values {
  return { ...mine, ...Object.fromEntries(fields.map((field) => [field, theirs[field]])) };
}
