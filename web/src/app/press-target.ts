/** How long after a change a press is still meant for the previous content, in ms. */
export const SETTLE_MS = 500;
/** How far the pointer may move between the two clicks of a double-click, in px, similar to operating systems. */
const SLACK_PX = { mouse: 5, touch: 24 };
/** A pause of this length, in ms, ends a pointer movement. */
const PAUSE_MS = 100;

const NEVER = Number.NEGATIVE_INFINITY;

/** PressAction is the action of a press: a control and its label. A control with another label has another action. */
export interface PressAction {
  node: object;
  name: string;
}

export interface Point {
  x: number;
  y: number;
}

/** PressTarget is a place that can be pressed. It stores since when a press there has its current action. */
export class PressTarget {
  /** Undefined until first read. */
  #action: PressAction | null | undefined;
  #changedAt = NEVER;
  #typedAt = NEVER;

  /** The user moved to the target and so has chosen its current action. */
  choose(action: PressAction | null): void {
    this.#action = action;
    this.#changedAt = NEVER;
  }

  /** Re-reads the content without a move of the user. Changes caused by typing are expected. */
  update(action: PressAction | null, now: number): void {
    const typed = now - this.#typedAt < SETTLE_MS;
    if (this.#action !== undefined && !isSame(this.#action, action) && !typed) this.changed(now);
    this.#action = action;
  }

  /** A call started by the control has ended: the user has not seen its result yet. */
  callEnded(control: object, now: number): void {
    if (this.#action?.node === control) this.changed(now);
  }

  /** The user typed, so the next press is a new decision. */
  typed(now: number): void {
    this.#typedAt = now;
    this.#changedAt = NEVER;
  }

  /** Reports whether a press at this time is meant for the current action. */
  isSettled(time: number): boolean {
    return time - this.#changedAt >= SETTLE_MS;
  }

  protected changed(now: number): void {
    this.#changedAt = now;
  }

  /** Stores the current action without treating it as chosen. */
  protected follow(action: PressAction | null): void {
    this.#action = action;
  }
}

/** PointerTarget is the target under the pointer or, on touch screens, at the last tap. */
export class PointerTarget extends PressTarget {
  /** Null while the pointer is outside the window. */
  at: Point | null = null;
  #changedWhere: Point = { x: 0, y: 0 };
  #movedAt = NEVER;
  #movingSince = NEVER;

  /** The pointer moved. Moving onto something is a choice; a move within the slack is not. */
  move(to: Point, action: PressAction | null, time: number, slack: keyof typeof SLACK_PX = 'mouse'): void {
    if (time - this.#movedAt > PAUSE_MS) this.#movingSince = time;
    this.#movedAt = time;
    this.at = to;
    const { x, y } = this.#changedWhere;
    const moved = this.isSettled(time) || Math.hypot(to.x - x, to.y - y) > SLACK_PX[slack];
    if (moved) this.choose(action);
    else this.follow(action);
  }

  /** A press ends the movement that led to it. */
  press(): void {
    this.#movedAt = NEVER;
  }

  /** Reports whether the current movement began before that time and so was aimed at the previous content. */
  wasMoving(time: number): boolean {
    return this.#movingSince <= time && time <= this.#movedAt;
  }

  protected override changed(now: number): void {
    super.changed(now);
    if (this.at) this.#changedWhere = this.at;
  }
}

function isSame(one: PressAction | null, other: PressAction | null): boolean {
  return one?.node === other?.node && one?.name === other?.name;
}
