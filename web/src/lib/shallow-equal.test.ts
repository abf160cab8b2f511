import { expect, test } from 'vitest';
import { shallowEqual } from './shallow-equal';

test.each<[boolean, object, object]>([
  [true, {}, {}],
  [true, { a: 1, b: 'x' }, { b: 'x', a: 1 }],
  [true, { a: undefined }, {}],
  [false, { a: 1 }, { a: 2 }],
  [false, { a: 1 }, { a: 1, b: 2 }],
  [false, { a: [] }, { a: [] }],
])('%s: %o, %o', (equal, a, b) => {
  expect(shallowEqual(a, b)).toBe(equal);
});
