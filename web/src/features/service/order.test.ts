import { expect, test } from 'vitest';
import { moved } from '@/ui/sortable-list';
import { placesOf } from './order';

const sorted = (...sorts: number[]) => sorts.map((sort) => ({ sort }));

test.each([
  ['neighbours change places', moved(sorted(1, 2, 3, 4), 1, 2), [1, 2, 3, 4]],
  ['gaps stay', moved(sorted(10, 20, 500), 0, 2), [10, 20, 500]],
  ['the same number for all becomes an order', sorted(0, 0, 0), [0, 1, 2]],
  ['a number held twice pushes only as far as needed', sorted(1, 1, 2, 9), [1, 2, 3, 9]],
  ['nothing', [], []],
])('%s', (_, order, places) => {
  expect(placesOf(order)).toEqual(places);
});

test('a moved item gets its new place', () => {
  expect(moved(['a', 'b', 'c', 'd'], 0, 2)).toEqual(['b', 'c', 'a', 'd']);
  expect(moved(['a', 'b', 'c', 'd'], 3, 0)).toEqual(['d', 'a', 'b', 'c']);
  expect(moved(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
});
