import { expect, test } from 'vitest';
import { th } from '@/i18n/th';
import { EMPTY_RESULT, resultSchema } from './result-values';

const faultsOf = (part: object) =>
  resultSchema(th)
    .safeParse({ ...EMPTY_RESULT, ...part })
    .error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? [];

test.each([
  ['nothing', {}],
  ['codes and a date', { icd10: ['E11.9', 'I10'], followUpDate: '2026-12-01' }],
  ['the longest text', { diagnosis: 'ก'.repeat(4000), advice: '😀'.repeat(4000) }],
  ['the most codes', { icd10: Array.from({ length: 20 }, (_, index) => `A${10 + index}`) }],
])('%s is valid', (_, part) => {
  expect(faultsOf(part)).toEqual([]);
});

test.each([
  ['diagnosis', { diagnosis: 'ก'.repeat(4001) }, th.result.tooLong],
  ['advice', { advice: 'ก'.repeat(4001) }, th.result.tooLong],
  ['icd10', { icd10: ['E11.9', 'หวัด'] }, th.result.icd10Wrong('หวัด')],
  ['icd10', { icd10: Array.from({ length: 21 }, (_, index) => `A${10 + index}`) }, th.result.icd10Many],
])('%s has a message', (field, part, message) => {
  expect(faultsOf(part)).toEqual([[field, message]]);
});

test.each([
  ['type', 'OTHER'],
  ['followUpDate', '1/12/2569'],
])('the schema rejects %s “%s”', (field, value) => {
  expect(faultsOf({ [field]: value }).map(([path]) => path)).toEqual([field]);
});
