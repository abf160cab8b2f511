import { expect, test } from 'vitest';
import { either, integer, matching, oneOf, or, searchParams } from './search-params';

const search = searchParams({
  tab: oneOf(['users', 'roles'], 'users'),
  status: oneOf(['ACTIVE', 'SUSPENDED']),
  page: or(integer(1), 1),
  age: integer(0, 130),
  day: matching((text) => /^\d{4}-\d{2}-\d{2}$/.test(text)),
  open: either(oneOf(['new']), integer(1)),
});

test('empty parameters have their defaults', () => {
  expect(Object.entries(search.parse({}))).toEqual([
    ['tab', 'users'],
    ['page', 1],
  ]);
});

test('keeps valid values', () => {
  const whole = { tab: 'roles', status: 'ACTIVE', page: 3, age: 0, day: '2026-11-16', open: 7 };
  expect(search.parse(whole)).toEqual(whole);
  expect(search.parse({ open: 'new' })).toEqual({ tab: 'users', page: 1, open: 'new' });
});

test.each([
  { tab: 'gone', status: 1, page: 0, age: 131, day: 'today', open: 'old' },
  { tab: null, status: [], page: 1.5, age: Number.NaN, day: 20261116, open: -1 },
  { tab: {}, status: 'active', page: '2', age: 1e300, day: ['2026-11-16'], open: true, unknown: 1 },
])('ignores invalid and unknown parameters: %o', (given) => {
  expect(search.parse(given)).toEqual({ tab: 'users', page: 1 });
});

test.each([null, undefined, 'text', 5])('treats invalid input as empty: %s', (given) => {
  expect(search['~standard'].validate(given)).toEqual({ value: { tab: 'users', page: 1 } });
});
