import { expect, test } from 'vitest';
import { PointerTarget, type PressAction, PressTarget } from './press-target';

const [first, second] = [{}, {}];
const checkIn = (row: object, name: string): PressAction => ({ node: row, name });
const MALI = checkIn(first, 'มะลิ มาถึงแล้ว');
const ANAN = checkIn(second, 'อนันต์ มาถึงแล้ว');
const HERE = { x: 100, y: 100 };

function restingOn(action: PressAction): PointerTarget {
  const pointer = new PointerTarget();
  pointer.move(HERE, action, 0);
  return pointer;
}

test('a control that moved under a resting pointer ignores presses for half a second', () => {
  const pointer = restingOn(MALI);
  pointer.update(ANAN, 1_000);
  expect(pointer.isSettled(1_250)).toBe(false);
  expect(pointer.isSettled(1_499)).toBe(false);
  expect(pointer.isSettled(1_500)).toBe(true);
});

test('a press from before a change that is delivered after it is ignored', () => {
  const pointer = restingOn(MALI);
  pointer.update(ANAN, 1_000);
  expect(pointer.isSettled(990)).toBe(false);
});

test('an unchanged control can be pressed again at once', () => {
  const pointer = restingOn(MALI);
  pointer.update({ ...MALI }, 1_000);
  expect(pointer.isSettled(1_001)).toBe(true);
});

test('a control that gets another name counts as changed', () => {
  const pointer = restingOn(MALI);
  pointer.update(checkIn(first, 'มะลิ เริ่มตรวจ'), 1_000);
  expect(pointer.isSettled(1_100)).toBe(false);
});

test('moving the pointer onto a control makes it pressable, a small jitter does not', () => {
  const pointer = restingOn(MALI);
  pointer.update(ANAN, 1_000);
  pointer.move({ x: 103, y: 102 }, ANAN, 1_050);
  expect(pointer.isSettled(1_060)).toBe(false);
  pointer.move({ x: 100, y: 140 }, MALI, 1_100);
  expect(pointer.isSettled(1_110)).toBe(true);
});

test('a touch has a larger tolerance than a mouse', () => {
  const pointer = restingOn(MALI);
  pointer.update(ANAN, 1_000);
  pointer.move({ x: 115, y: 110 }, ANAN, 1_100, 'touch');
  expect(pointer.isSettled(1_110)).toBe(false);
  pointer.move({ x: 100, y: 180 }, ANAN, 1_200, 'touch');
  expect(pointer.isSettled(1_210)).toBe(true);
});

test('a movement in progress during a change was aimed at the old contents', () => {
  const pointer = restingOn(MALI);
  pointer.move({ x: 100, y: 120 }, null, 1_000);
  pointer.move({ x: 100, y: 160 }, null, 1_080);
  expect(pointer.wasMoving(1_040)).toBe(true);
  expect(pointer.wasMoving(900)).toBe(false);
  expect(pointer.wasMoving(1_100)).toBe(false);
  pointer.press();
  pointer.move({ x: 100, y: 200 }, null, 1_120);
  expect(pointer.wasMoving(1_090)).toBe(false);
});

test('a control ignores presses for a moment after its call has ended', () => {
  const pointer = restingOn(MALI);
  pointer.callEnded(first, 1_000);
  expect(pointer.isSettled(1_200)).toBe(false);
  const elsewhere = restingOn(ANAN);
  elsewhere.callEnded(first, 1_000);
  expect(elsewhere.isSettled(1_200)).toBe(true);
});

test('typing makes a changed control pressable, and so are changes caused by the typing', () => {
  const target = new PressTarget();
  target.choose(MALI);
  target.update(ANAN, 1_000);
  target.typed(1_100);
  expect(target.isSettled(1_110)).toBe(true);
  target.update(MALI, 1_200);
  expect(target.isSettled(1_210)).toBe(true);
  target.update(ANAN, 1_700);
  expect(target.isSettled(1_710)).toBe(false);
});
