import { expect, it } from 'vitest';
import { formatPhone, isPhone, phoneDigits } from './phone';

it.each([
  ['0812345678', '081-234-5678'],
  ['081 234 5678', '081-234-5678'],
  ['(081)234-5678', '081-234-5678'],
  ['๐๘๑๒๓๔๕๖๗๘', '081-234-5678'],
  ['021234567', '02-123-4567'],
  ['053123456', '053-123-456'],
  ['12345', '12345'],
  [' โทรที่ทำงาน ', 'โทรที่ทำงาน'],
  ['', ''],
])('shows %j as %j', (typed, shown) => {
  expect(formatPhone(typed)).toBe(shown);
});

it.each([
  ['081-234-5678', true],
  ['02-123-4567', true],
  ['812345678', false],
  ['08123456789', false],
  ['081-234-567x', false],
])('validates %j like the server', (typed, good) => {
  expect(isPhone(phoneDigits(typed))).toBe(good);
});
