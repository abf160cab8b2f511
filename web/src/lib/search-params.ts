/**
 * Parses search parameters without ever failing: invalid values count as missing. Not with zod, which would be part of
 * every first load.
 */
type Param<Value> = (given: unknown) => Value;
type Shape = Record<string, Param<unknown>>;

type Optional<Params extends Shape> = {
  [Key in keyof Params]: undefined extends ReturnType<Params[Key]> ? Key : never;
}[keyof Params];
type Read<Params extends Shape> = {
  [Key in Exclude<keyof Params, Optional<Params>>]: ReturnType<Params[Key]>;
} & { [Key in Optional<Params>]?: ReturnType<Params[Key]> } extends infer Both
  ? { [Key in keyof Both]: Both[Key] }
  : never;

/** One of the values, or the fallback. */
export function oneOf<const Value extends string | number>(
  values: readonly Value[],
): Param<Value | undefined>;
export function oneOf<const Value extends string | number>(
  values: readonly Value[],
  fallback: NoInfer<Value>,
): Param<Value>;
export function oneOf<Value extends string | number>(values: readonly Value[], fallback?: Value) {
  return (given: unknown) => values.find((value) => value === given) ?? fallback;
}

export function integer(low: number, high = Number.MAX_SAFE_INTEGER): Param<number | undefined> {
  return (given) =>
    typeof given === 'number' && Number.isSafeInteger(given) && given >= low && given <= high
      ? given
      : undefined;
}

/** Text that passes the test. */
export function matching(test: (text: string) => boolean): Param<string | undefined> {
  return (given) => (typeof given === 'string' && test(given) ? given : undefined);
}

export function either<First, Second>(first: Param<First>, second: Param<Second>) {
  return (given: unknown) => first(given) ?? second(given);
}

/** A parameter with a default. */
export function or<Value>(param: Param<Value | undefined>, fallback: NoInfer<Value>): Param<Value> {
  return (given) => param(given) ?? fallback;
}

/** The search parameters as a route's `validateSearch` (a "standard schema"). */
export function searchParams<Params extends Shape>(params: Params) {
  const parse = (given: unknown): Read<Params> => {
    const values = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
    const read = Object.entries(params).flatMap(([key, param]) => {
      const value = param(values[key]);
      return value === undefined ? [] : [[key, value] as const];
    });
    return Object.fromEntries(read) as Read<Params>;
  };
  return {
    parse,
    '~standard': {
      validate: (given: unknown) => ({ value: parse(given) }),
      types: undefined as { input: Partial<Read<Params>>; output: Read<Params> } | undefined,
    },
  };
}
