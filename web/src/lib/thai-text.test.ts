import { expect, it } from 'vitest';
import { cleanText, digitsOf, searchKey, sexOfPrename, splitPrename } from './thai-text';

it.each([
  ['spaces', '  สม   ชาย ', 'สม ชาย'],
  ['invisible characters', 'สม\u200bชาย\ufeff', 'สมชาย'],
  ['two เ', 'เเก้ว', 'แก้ว'],
  ['a tone mark before its vowel', 'ท\u0e48\u0e35', 'ที่'],
  ['a mark typed twice', 'ที่\u0e48', 'ที่'],
  ['ํ and า apart', 'น\u0e49\u0e4d\u0e32', 'น้ำ'],
  ['a tone mark after ำ', 'น\u0e33\u0e49', 'น้ำ'],
])('cleans %s', (_, typed, clean) => {
  expect(cleanText(typed)).toBe(clean);
  expect(cleanText(clean)).toBe(clean);
});

it.each([
  ['นายสมชาย', 'นาย', 'สมชาย'],
  ['นาย สมชาย', 'นาย', 'สมชาย'],
  ['นางสาวเอมอร', 'นางสาว', 'เอมอร'],
  ['ด.ช.ปกรณ์', 'ด.ช.', 'ปกรณ์'],
  ['นายิกา', '', 'นายิกา'],
  ['สมชาย', '', 'สมชาย'],
  ['นาย', '', 'นาย'],
])('splits %j', (name, prename, rest) => {
  expect(splitPrename(name)).toEqual({ prename, rest });
});

it('knows the sex implied by a prename', () => {
  expect([sexOfPrename('นาย'), sexOfPrename(' น.ส. '), sexOfPrename('ดร.'), sexOfPrename('คุณ')]).toEqual([
    'M',
    'F',
    null,
    null,
  ]);
});

it('keeps digits and drops tone marks in search keys', () => {
  expect(digitsOf('๑-2 x3')).toBe('123');
  expect(searchKey(' แก้ว-ใส ')).toBe('แกวใส');
});
