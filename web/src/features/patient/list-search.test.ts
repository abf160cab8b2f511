import { describe, expect, test } from 'vitest';
import { nameFromSearch } from '@/entities/patient/name-from-search';
import { th } from '@/i18n/th';
import { readAge } from './list-filters';
import { PROVINCES } from './list-provinces';
import {
  countFilters,
  criteriaOf,
  describeFilters,
  isFiltered,
  NO_FILTERS,
  patientSort,
} from './list-search';

test('there are 77 provinces, each once', () => {
  expect(new Set(PROVINCES).size).toBe(77);
  expect(PROVINCES).toHaveLength(77);
});

test('the two ends of the age count as one filter, the search text as none', () => {
  expect(countFilters({ ...NO_FILTERS, q: 'สม', sex: 'F', ageFrom: 0, ageTo: 5 })).toBe(2);
  expect(isFiltered(NO_FILTERS)).toBe(false);
  expect(isFiltered({ ...NO_FILTERS, ageFrom: 0 })).toBe(true);
});

test('an empty search text is not sent', () => {
  expect(criteriaOf({ ...NO_FILTERS, right: 'UCS' })).toEqual({ rightCode: 'UCS' });
});

test('only the own fields of patients sort them', () => {
  expect(patientSort('-lastVisit')).toBe('-lastVisit');
  expect(patientSort('phone')).toBeUndefined();
  expect(patientSort(undefined)).toBeUndefined();
});

test('the printed page says what the list was narrowed by', () => {
  const filters = { q: 'สม', sex: 'M', right: 'SSS', province: 'ตาก', ageFrom: 60 } as const;
  expect(describeFilters(th, filters)).toBe(
    `ค้นหา “สม” · เพศ ชาย · สิทธิการรักษา ${th.patient.rights.SSS} · จังหวัด ตาก · อายุตั้งแต่ 60 ปี`,
  );
  expect(describeFilters(th, { q: '', ageTo: 15 })).toBe('อายุ 0–15 ปี');
  expect(describeFilters(th, NO_FILTERS)).toBe('');
});

describe('the name in a search text', () => {
  test.each([
    ['สมชาย', { prename: '', firstName: 'สมชาย', lastName: '' }],
    ['นายสมชาย ใจดี', { prename: 'นาย', firstName: 'สมชาย', lastName: 'ใจดี' }],
    ['สุรชัย ณ เชียงใหม่', { prename: '', firstName: 'สุรชัย', lastName: 'ณ เชียงใหม่' }],
    ['081-234', null],
    ['๐๘๑', null],
    [' ', null],
  ])('%s', (q, name) => {
    expect(nameFromSearch(q)).toEqual(name);
  });
});

test.each([
  ['', undefined],
  [' 20 ', 20],
  ['๖๐', 60],
  ['0', 0],
  ['130', 130],
  ['131', null],
  ['2x', null],
  ['-1', null],
])('the age in %j', (text, age) => {
  expect(readAge(text)).toBe(age);
});
