import { expect, test } from 'vitest';
import { clashes } from './three-way';

const base = { name: 'ก', phone: '1', note: '' };

test.each([
  ['nothing saved by others', base, []],
  ['another field saved by others', { ...base, note: 'ใหม่' }, ['note']],
  ['the same field saved by others', { ...base, phone: '3' }, ['phone']],
  ['the same change saved by others', { ...base, phone: '2' }, []],
])('%s', (_, theirs, found) => {
  expect(clashes(base, { ...base, phone: '2' }, theirs)).toEqual(found);
});
