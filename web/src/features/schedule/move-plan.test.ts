import { afterEach, describe, expect, test, vi } from 'vitest';
import { byPath } from '@/test/by-path';
import { failure, success } from '@/test/server';
import { chosenOf, compared, replan, seatsLeft } from './move-plan';

afterEach(() => vi.unstubAllGlobals());

const at = (startTime: string, date = '2026-11-20') => ({ date, startTime });
const from = at('09:00', '2026-11-16');

test('a plan tells where it differs from the one before', () => {
  const before = {
    moves: [1, 2].map((id) => ({ appointmentId: id, to: at('09:00'), chosen: false })),
    unplaced: [],
  };
  const after = {
    moves: [
      { appointmentId: 1, to: at('09:00'), chosen: false },
      { appointmentId: 2, to: at('10:00'), chosen: false },
    ],
    unplaced: [],
  };
  expect(compared(before, after).moves.map(({ was }) => was)).toEqual([undefined, at('09:00')]);
});

describe('asking again', () => {
  test('keeps what was chosen', async () => {
    const sent = byPath({
      move: [success({ moves: [{ appointmentId: 1, from, to: at('11:00') }], unplaced: [] })],
    });
    const plan = await replan(5, new Map([[1, at('11:00')]]));
    expect(sent('move')).toEqual([{ id: 5, preview: true, moves: [{ appointmentId: 1, to: at('11:00') }] }]);
    expect([...chosenOf(plan)]).toEqual([[1, at('11:00')]]);
  });

  test('gives up only the choice that cannot be kept', async () => {
    const sent = byPath({
      move: [
        failure(409, 'SLOT_FULL', 'เต็มแล้ว', { details: { appointmentId: 1 } }),
        success({
          moves: [
            { appointmentId: 1, from, to: at('12:00') },
            { appointmentId: 2, from, to: at('10:00') },
          ],
          unplaced: [],
        }),
      ],
    });
    const plan = await replan(
      5,
      new Map([
        [1, at('11:00')],
        [2, at('10:00')],
      ]),
    );
    expect(sent('move')[1]).toEqual({ id: 5, preview: true, moves: [{ appointmentId: 2, to: at('10:00') }] });
    expect(plan.moves.map(({ chosen }) => chosen)).toEqual([false, true]);
  });

  test('tells any other refusal', async () => {
    byPath({ move: [failure(404, 'NOT_FOUND', 'ไม่พบ')] });
    await expect(replan(5, new Map())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('seats that the plan takes itself are not offered again', () => {
  const plan = {
    moves: [
      { appointmentId: 1, to: at('09:00'), chosen: false },
      { appointmentId: 2, to: at('09:00'), chosen: false },
      { appointmentId: 3, to: at('09:00'), chosen: false },
    ],
    unplaced: [],
  };
  const services = new Map([
    [1, 7],
    [2, 7],
    [3, 8],
  ]);
  expect(seatsLeft(plan, services, 7, at('09:00'), 3)).toBe(1);
});
