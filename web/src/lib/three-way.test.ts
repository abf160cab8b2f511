import { expect, test } from 'vitest';
import { bothChanged, clashes, withTheirs } from './three-way';

const base = { name: 'ก', phone: '1', note: '' };
const mine = { ...base, phone: '2' };

test.each([
  ['nothing saved by others', base, [], []],
  ['another field saved by others', { ...base, note: 'ใหม่' }, ['note'], []],
  ['the same field saved by others', { ...base, phone: '3' }, ['phone'], ['phone']],
  ['the same change saved by others', { ...base, phone: '2' }, [], []],
])('%s', (_, theirs, clashing, ofBoth) => {
  expect(clashes(base, mine, theirs)).toEqual(clashing);
  expect(bothChanged(base, mine, theirs)).toEqual(ofBoth);
});

test('theirs is taken in the fields that are named, and in no other', () => {
  const theirs = { name: 'ข', phone: '3', note: 'ใหม่' };
  expect(withTheirs(mine, theirs, ['note'])).toEqual({ name: 'ก', phone: '2', note: 'ใหม่' });
});
