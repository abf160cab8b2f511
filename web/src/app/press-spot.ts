/** How long after a change a press is still meant for what was there before, in ms. */
export const SETTLE_MS = 500;
/** How far a hand moves between the two clicks of a double-click, in px; systems count about as much as one. */
const SLACK_PX = { mouse: 5, touch: 24 };
/** A pause of this length, in ms, ends a movement of the pointer. */
const PAUSE_MS = 100;

const NEVER = Number.NEGATIVE_INFINITY;

/** Meaning is what a press does: a control and its name. A control that is given another name does something else. */
export interface Meaning {
  node: object;
  name: string;
}

export interface Point {
  x: number;
  y: number;
}

/** Spot is a place that can be pressed. It knows since when a press there does what it does now. */
export class Spot {
  /** Undefined until the place was looked at. */
  #meaning: Meaning | null | undefined;
  #changedAt = NEVER;
  #typedAt = NEVER;

  /** The user went there: what is there is what was chosen. */
  choose(meaning: Meaning | null): void {
    this.#meaning = meaning;
    this.#changedAt = NEVER;
  }

  /** The content was looked at again, without the user having moved. What typing changes is no surprise. */
  see(meaning: Meaning | null, now: number): void {
    const typed = now - this.#typedAt < SETTLE_MS;
    if (this.#meaning !== undefined && !isSame(this.#meaning, meaning) && !typed) this.changed(now);
    this.#meaning = meaning;
  }

  /** A call that the control there began has ended: what came of it has yet to be seen. */
  callEnded(control: object, now: number): void {
    if (this.#meaning?.node === control) this.changed(now);
  }

  /** The user has typed: the next press is a new decision. */
  typed(now: number): void {
    this.#typedAt = now;
    this.#changedAt = NEVER;
  }

  /** Whether a press at this time is meant for what is there now. */
  isSettled(time: number): boolean {
    return time - this.#changedAt >= SETTLE_MS;
  }

  protected changed(now: number): void {
    this.#changedAt = now;
  }

  /** Remembers what is there without making it a choice. */
  protected follow(meaning: Meaning | null): void {
    this.#meaning = meaning;
  }
}

/** PointerSpot is the spot under the pointer or, with a finger, where the last tap was. */
export class PointerSpot extends Spot {
  /** Null while the pointer is outside the window. */
  at: Point | null = null;
  #changedWhere: Point = { x: 0, y: 0 };
  #movedAt = NEVER;
  #movingSince = NEVER;

  /** The pointer has moved. Going onto something is a choice; a hand that trembles does not choose. */
  move(to: Point, meaning: Meaning | null, time: number, slack: keyof typeof SLACK_PX = 'mouse'): void {
    if (time - this.#movedAt > PAUSE_MS) this.#movingSince = time;
    this.#movedAt = time;
    this.at = to;
    const { x, y } = this.#changedWhere;
    const chosen = this.isSettled(time) || Math.hypot(to.x - x, to.y - y) > SLACK_PX[slack];
    if (chosen) this.choose(meaning);
    else this.follow(meaning);
  }

  /** A press ends the movement that led to it. */
  press(): void {
    this.#movedAt = NEVER;
  }

  /** Whether the present movement began before that time, towards what was there then. */
  wasMoving(time: number): boolean {
    return this.#movingSince <= time && time <= this.#movedAt;
  }

  protected override changed(now: number): void {
    super.changed(now);
    if (this.at) this.#changedWhere = this.at;
  }
}

function isSame(one: Meaning | null, other: Meaning | null): boolean {
  return one?.node === other?.node && one?.name === other?.name;
}
