import { expect, test } from 'vitest';
import { onlyMatch } from './only-match';

test.each([
  ['no result', [], '4609', undefined],
  ['a single result, whatever it matched', ['0000012'], 'somchai', '0000012'],
  ['one of several with exactly this number', ['0004609', '0014609'], '0004609', '0004609'],
  ['leading zeros may be omitted', ['0004609', '0014609'], '4609', '0004609'],
  ['Thai digits, dashes and case are ignored', ['A69-001', 'A69-0011'], 'a๖๙001', 'A69-001'],
  ['several by name: no match', ['0000011', '0000012'], 'ใจดี', undefined],
  ['several with the same number: no match', ['4609', '0004609'], '4609', undefined],
  ['zeros alone are not a number', ['0', '00'], '0', undefined],
])('%s', (_, found, typed, expected) => {
  expect(onlyMatch(found, typed, (number) => number)).toBe(expected);
});
