import { describe, expect, it } from 'vitest';
import { checkDigit, fitsMask, groupIdCard, isIdCard, isIdCardText, isMaskedIdCard } from './id-card';

describe('isIdCard', () => {
  it.each(['1111111111119', '1000000000050', '1000000000131'])('accepts %s', (id) => {
    expect(isIdCard(id)).toBe(true);
  });
  it.each(['0000000000000', '1111111111110', '111111111111', '11111111111191', '', '1-1111-11111-11-9', 'x'])(
    'rejects %j',
    (id) => expect(isIdCard(id)).toBe(false),
  );
  it.each(['0', '6', '7', '8', '9'])('accepts a first digit of %s', (first) => {
    const twelve = `${first}10010000000`;
    expect(isIdCard(twelve + checkDigit(twelve))).toBe(true);
  });
});

it.each([
  ['', ''],
  ['1', '1'],
  ['11', '1-1'],
  ['11111', '1-1111'],
  ['111111', '1-1111-1'],
  ['1111111111', '1-1111-11111'],
  ['111111111111', '1-1111-11111-11'],
  ['1111111111119', '1-1111-11111-11-9'],
  ['1-1111-11111-11-9', '1-1111-11111-11-9'],
  ['1 1111 11111 11 9 7', '1-1111-11111-11-9'],
  ['๑๑๑๑๑', '1-1111'],
])('groups %j as %j while it is typed', (typed, shown) => {
  expect(groupIdCard(typed)).toBe(shown);
});

it('recognises a masked number', () => {
  expect(isMaskedIdCard('1-1111-xxxxx-11-9')).toBe(true);
  expect(isMaskedIdCard('x-xxxx-xxxxx-xx-x')).toBe(true);
  expect(isMaskedIdCard('1-1111-11111-11-9')).toBe(false);
  expect(isMaskedIdCard('')).toBe(false);
});

it.each([
  ['1-1111-xxxxx-11-9', '1-1111-11111-11-9', true],
  ['1-1111-xxxxx-11-9', '1-1112-11111-11-9', false],
  ['1-1111-xxxxx-11-9', '1-1111-1', false],
  ['1-1111-11111-11-9', '1-1111-11111-11-9', false],
  ['', '', false],
])('%j matches %j: %s', (masked, grouped, fits) => {
  expect(fitsMask(masked, grouped)).toBe(fits);
});

it('distinguishes possible card numbers from other text', () => {
  expect(isIdCardText('1-11 ๑')).toBe(true);
  expect(isIdCardText('AB12')).toBe(false);
});
