import { expect, test } from 'vitest';
import { onlyMatch } from './only-match';

test.each([
  ['nothing', [], '4609', undefined],
  ['the only one, however it was found', ['0000012'], 'somchai', '0000012'],
  ['the one with the number among several', ['0004609', '0014609'], '0004609', '0004609'],
  ['its zeros may be left out', ['0004609', '0014609'], '4609', '0004609'],
  ['Thai digits and dashes are the same number', ['A69-001', 'A69-0011'], 'a๖๙001', 'A69-001'],
  ['several by name are for somebody to choose', ['0000011', '0000012'], 'ใจดี', undefined],
  ['several with the number, too', ['4609', '0004609'], '4609', undefined],
  ['zeros alone are no number', ['0', '00'], '0', undefined],
])('%s', (_, found, typed, expected) => {
  expect(onlyMatch(found, typed, (number) => number)).toBe(expected);
});
