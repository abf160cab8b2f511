import { expect, test } from 'vitest';
import { cutArea } from './crop';

test.each([
  ['a high picture, its top', [900, 900, 3, 0], { x: 0, y: 0, width: 900, height: 300 }],
  ['its middle', [900, 900, 3, 0.5], { x: 0, y: 300, width: 900, height: 300 }],
  ['its end', [900, 900, 3, 1], { x: 0, y: 600, width: 900, height: 300 }],
  ['a wide one loses its sides', [4000, 1000, 3, 0.5], { x: 500, y: 0, width: 3000, height: 1000 }],
  ['one that fits stays whole', [1600, 900, 16 / 9, 0.7], { x: 0, y: 0, width: 1600, height: 900 }],
] as const)('%s', (_, [width, height, ratio, position], area) => {
  expect(cutArea(width, height, ratio, position)).toEqual(area);
});
