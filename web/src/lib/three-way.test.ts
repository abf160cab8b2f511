import { describe, expect, test } from 'vitest';
import { bothChanged, mergeChanges, textFields } from './three-way';

interface Values {
  name: string;
  phone: string;
  note: string;
}
const before: Values = { name: 'ก', phone: '1', note: '' };
const mine: Values = { ...before, phone: '2' };
const fields = textFields<Values>(({ name, phone, note }) => ({ name, phone, note: note.trim() }));

describe('conflicts and merges', () => {
  test.each<[string, Values, string[], Values]>([
    ['nothing saved by others', before, [], mine],
    ['another field saved by others', { ...before, note: 'ใหม่' }, [], { ...mine, note: 'ใหม่' }],
    ['the same field saved by others', { ...before, phone: '3' }, ['phone'], mine],
    ['the same change saved by others', { ...before, phone: '2' }, [], mine],
    [
      'the same and another field saved by others',
      { name: 'ข', phone: '3', note: '' },
      ['phone'],
      { ...mine, name: 'ข' },
    ],
  ])('%s', (_, theirs, asked, merged) => {
    expect(bothChanged(fields, { before, mine, theirs })).toEqual(asked);
    expect(mergeChanges(fields, { before, mine, theirs })).toEqual(merged);
  });
});

test('a field whose text is the same is not changed', () => {
  expect(fields.changed(before, { ...before, note: '  ' })).toEqual([]);
});

test('takes their value where it was chosen', () => {
  const theirs = { name: 'ข', phone: '3', note: 'ใหม่' };
  const all = { name: 'ค', phone: '2', note: '' };
  expect(mergeChanges(fields, { before, mine: all, theirs }, ['phone'])).toEqual({
    name: 'ค',
    phone: '3',
    note: 'ใหม่',
  });
});
