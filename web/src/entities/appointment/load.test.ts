import { expect, test } from 'vitest';
import { levelOf } from './load';

test('the level changes at a half, at four fifths, when full, and beyond', () => {
  const levels = [0, 49, 50, 79, 80, 99, 100, 101].map((booked) => levelOf(booked, 100));
  expect(levels).toEqual(['low', 'low', 'half', 'half', 'high', 'high', 'full', 'over']);
  expect(levelOf(0, 0)).toBe('none');
  expect(levelOf(2, 0)).toBe('over');
});
