import { describe, expect, test } from 'vitest';
import { type GridItem, nextItem } from './grid-movement';

interface Named extends GridItem {
  name: string;
}

/** A cell in every row and column, with heads but no corner: `row col`, -1 is a head. */
function fullGrid(rows: number, cols: number): Named[] {
  const items: Named[] = [];
  for (let row = -1; row < rows; row += 1) {
    for (let col = -1; col < cols; col += 1) {
      if (row >= 0 || col >= 0) items.push({ name: `${row} ${col}`, col, head: row < 0, top: row });
    }
  }
  return items;
}

function move(items: Named[], from: string, key: string, how = {}): string | undefined {
  const item = items.find(({ name }) => name === from);
  if (!item) throw new Error(`no item ${from}`);
  return nextItem(items, item, key, how)?.name;
}

describe('in a grid of focusable cells', () => {
  test.each([
    ['ArrowDown', '0 0', {}, '1 0'],
    ['ArrowDown', '2 0', {}, undefined],
    ['ArrowUp', '0 0', {}, '-1 0'],
    ['ArrowLeft', '0 0', {}, '0 -1'],
    ['ArrowUp', '0 -1', {}, undefined],
    ['ArrowLeft', '-1 0', {}, undefined],
    ['ArrowRight', '-1 0', {}, '-1 1'],
    ['ArrowLeft', '0 0', { rtl: true }, '0 1'],
    ['ArrowRight', '1 0', { rtl: true }, '1 -1'],
    ['Home', '1 5', {}, '1 0'],
    ['Home', '-1 5', {}, '-1 0'],
    ['Home', '2 5', { ctrl: true }, '0 0'],
    ['End', '1 0', {}, '1 6'],
    ['End', '1 0', { ctrl: true }, '2 6'],
    ['PageUp', '2 3', {}, '0 3'],
    ['PageDown', '0 3', {}, '2 3'],
    ['x', '0 0', {}, undefined],
  ])('%s from %s with %o', (key, from, how, to) => {
    expect(move(fullGrid(3, 7), from, key, how)).toBe(to);
  });
});

describe('in a grid whose cells hold items', () => {
  const item = (name: string, col: number, top: number, head = false) => ({ name, col, top, head });
  const items = [
    item('mon', 0, 0, true),
    item('thu', 3, 0, true),
    item('mon 08:00', 0, 40),
    item('mon 08:20', 0, 64),
    item('mon 09:00', 0, 200),
    item('thu 09:00', 3, 200),
  ];

  test.each([
    ['ArrowDown', 'mon 08:00', 'mon 08:20'],
    ['ArrowDown', 'mon 08:20', 'mon 09:00'],
    ['ArrowRight', 'mon 09:00', 'thu 09:00'],
    ['ArrowRight', 'mon 08:00', 'thu'],
    ['ArrowLeft', 'thu 09:00', 'mon 09:00'],
    ['ArrowRight', 'mon', 'thu'],
    ['PageUp', 'mon 09:00', 'mon 08:00'],
    ['End', 'mon 08:20', 'thu'],
  ])('%s from %s moves to %s', (key, from, to) => {
    expect(move(items, from, key)).toBe(to);
  });
});
