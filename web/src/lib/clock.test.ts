import { expect, test } from 'vitest';
import { clockOf, minutesOf, parseClock } from './clock';

test.each([
  ['9', '09:00'],
  ['930', '09:30'],
  ['0930', '09:30'],
  ['9.30', '09:30'],
  ['09:30', '09:30'],
  ['๑๓.๔๕ น.', '13:45'],
  ['24:00', '24:00'],
  ['24:01', null],
  ['25', null],
  ['9:60', null],
  ['9:3', null],
  ['', null],
  ['เช้า', null],
])('%s is %s', (typed, clock) => {
  expect(parseClock(typed)).toBe(clock);
});

test('a clock and its minutes', () => {
  expect(minutesOf('13:45')).toBe(825);
  expect(clockOf(825)).toBe('13:45');
});
