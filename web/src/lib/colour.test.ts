import { describe, expect, test } from 'vitest';
import { contrast, inkOn, isHexColour, mix, raised, readableOn } from './colour';

describe('contrast', () => {
  test.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#767676', '#ffffff', 4.54],
    ['#0f766e', '#ffffff', 5.47],
  ])('%s on %s', (a, b, expected) => {
    expect(contrast(a, b)).toBeCloseTo(expected, 2);
    expect(contrast(b, a)).toBeCloseTo(expected, 2);
  });
});

test('mixes two colours', () => {
  expect(mix('#000000', '#ffffff', 0)).toBe('#000000');
  expect(mix('#000000', '#ffffff', 0.5)).toBe('#808080');
  expect(mix('#000000', '#ffffff', 1)).toBe('#ffffff');
});

test('ink is soft where readable, else black', () => {
  expect(inkOn('#ffffff')).toBe('#1b2733');
  expect(inkOn('#12303a')).toBe('#ffffff');
  expect(inkOn('#7a7a7a')).toBe('#000000');
});

test('a readable colour is unchanged', () => {
  expect(readableOn(['#ffffff'], '#0f766e')).toBe('#0f766e');
});

test('darkens yellow on white and keeps it on black', () => {
  expect(contrast(readableOn(['#ffffff'], '#ffeb3b'), '#ffffff')).toBeGreaterThanOrEqual(4.5);
  expect(readableOn(['#000000'], '#ffeb3b')).toBe('#ffeb3b');
});

test('a raised background differs from its base', () => {
  expect(raised('#777777', '#000000', 0.18)).not.toBe('#777777');
});

test.each([
  ['#0f766e', true],
  ['#0F766E', true],
  ['#fff', false],
  ['0f766e', false],
  ['#0f766g', false],
  ['#0f766e00', false],
  ['', false],
])('isHexColour(%s)', (value, expected) => {
  expect(isHexColour(value)).toBe(expected);
});
