import { expect, test } from 'vitest';
import { ticksFor } from './day-chart';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [119, [0, 50, 100, 150]],
  [160, [0, 50, 100, 150, 200]],
  [4000, [0, 1000, 2000, 3000, 4000]],
])('an axis for %i', (most, ticks) => expect(ticksFor(most)).toEqual(ticks));
