import { ApiError } from '@/api/error';
import type { Appointment } from '@/entities/appointment/api';
import { type Move, previewMoves, type SlotTime } from './api';

/** The new time of an appointment in a closure. */
export interface PlannedMove {
  appointmentId: number;
  to: SlotTime;
  /** Chosen by the user, not proposed by the server. */
  chosen: boolean;
  /** The previous proposal, if another booking took that seat. */
  was?: SlotTime;
}

export interface MovePlan {
  moves: PlannedMove[];
  unplaced: Appointment[];
}

const sameTime = (a: SlotTime, b: SlotTime) => a.date === b.date && a.startTime === b.startTime;

/** The server's response, with the user's choices marked. */
export function planOf(
  answer: { moves: Move[]; unplaced: Appointment[] },
  chosen: Map<number, SlotTime>,
): MovePlan {
  return {
    moves: answer.moves.map(({ appointmentId, to }) => {
      const picked = chosen.get(appointmentId);
      return { appointmentId, to, chosen: picked !== undefined && sameTime(picked, to) };
    }),
    unplaced: answer.unplaced,
  };
}

/** compared marks the proposals of a new plan that differ from the old one. */
export function compared(before: MovePlan, after: MovePlan): MovePlan {
  const old = new Map(before.moves.map((move) => [move.appointmentId, move.to]));
  return {
    ...after,
    moves: after.moves.map((move) => {
      const was = old.get(move.appointmentId);
      return was && !sameTime(was, move.to) ? { ...move, was } : move;
    }),
  };
}

export function chosenOf({ moves }: MovePlan): Map<number, SlotTime> {
  return new Map(
    moves.flatMap(({ appointmentId, to, chosen }) => (chosen ? [[appointmentId, to] as const] : [])),
  );
}

/** The appointment that the server rejected. */
function refusedOf(failure: unknown): number | undefined {
  if (!(failure instanceof ApiError)) return undefined;
  const { appointmentId } = failure.details;
  return typeof appointmentId === 'number' ? appointmentId : undefined;
}

/** Requests a plan with the chosen times; a chosen time that the server rejects is dropped. */
export async function replan(closureId: number, chosen: Map<number, SlotTime>): Promise<MovePlan> {
  const kept = new Map(chosen);
  for (;;) {
    try {
      const moves = [...kept].map(([appointmentId, to]) => ({ appointmentId, to }));
      return planOf(await previewMoves(closureId, moves), kept);
    } catch (failure) {
      const refused = refusedOf(failure);
      if (refused === undefined || !kept.delete(refused)) throw failure;
    }
  }
}

/** Whether an error means that the plan is outdated and another one may be possible. */
export function isOutdated(failure: unknown): boolean {
  return refusedOf(failure) !== undefined;
}

/** How many of a slot's available seats the plan does not use. */
export function seatsLeft(
  plan: MovePlan,
  services: Map<number, number>,
  serviceId: number,
  at: SlotTime,
  free: number,
) {
  const taken = plan.moves.filter(
    ({ appointmentId, to }) => services.get(appointmentId) === serviceId && sameTime(to, at),
  );
  return free - taken.length;
}
