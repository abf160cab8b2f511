/** Compares and combines the fields of values. A field may consist of several properties. */
export interface Fields<Values> {
  /** The names of the fields that differ. */
  changed: (before: Values, after: Values) => string[];
  /** `values` with the named fields as in `from`. */
  take: (values: Values, from: Values, fields: readonly string[]) => Values;
}

/** The fields of a flat object, compared as texts. */
export function textFields<Values extends object>(
  textsOf: (values: Values) => Record<string, unknown>,
): Fields<Values> {
  return {
    changed: (before, after) => {
      const [old, now] = [textsOf(before), textsOf(after)];
      return Object.keys(now).filter((field) => old[field] !== now[field]);
    },
    take: (values, from, fields) => ({
      ...values,
      ...Object.fromEntries(fields.map((field) => [field, from[field as keyof Values]])),
    }),
  };
}

/** Two changes of the same values. */
interface ThreeWay<Values> {
  before: Values;
  mine: Values;
  theirs: Values;
}

/** The fields that both sides changed to different values. Only these need a decision. */
export function bothChanged<Values>(
  fields: Fields<Values>,
  { before, mine, theirs }: ThreeWay<Values>,
): string[] {
  const [byThem, differing] = [fields.changed(before, theirs), fields.changed(mine, theirs)];
  return fields.changed(before, mine).filter((field) => byThem.includes(field) && differing.includes(field));
}

/** Their values with my changes on top, except in the fields where theirs were chosen. */
export function mergeChanges<Values>(
  fields: Fields<Values>,
  { before, mine, theirs }: ThreeWay<Values>,
  chosenTheirs: readonly string[] = [],
): Values {
  const kept = fields.changed(before, mine).filter((field) => !chosenTheirs.includes(field));
  return fields.take(theirs, mine, kept);
}
