/**
 * Where a walk may go back to. Some stories need what is rare twice: a walk that has come to the first rare thing and
 * misses the second would have to find the first again. So it remembers the first state in which each set of marks held
 * together, and goes on from there otherwise.
 */
import type { Random } from 'fast-check';
import type { Condition, Reader } from '../property.ts';
import type { GlobalState, Pick } from '../semantics/world.ts';
import { weighed } from './weighed.ts';

/** Where a walk was, and how it came there. */
export interface TurningPoint {
  readonly picks: readonly Pick[];
  readonly state: GlobalState;
}

interface Remembered extends TurningPoint {
  /** How many marks held. */
  readonly marks: number;
  /** How often the walk went back here. */
  returns: number;
}

/** One mark more is worth so many times as much. */
const markWorth = 2;

/** The turning points of one walk. */
export class TurningPoints {
  readonly #marks: readonly Condition[];
  /** By which of the marks held. */
  readonly #points = new Map<string, Remembered>();

  /** @param start - is one, whatever holds there */
  constructor(marks: readonly Condition[], start: GlobalState) {
    this.#marks = marks;
    this.#points.set('', { picks: [], state: start, marks: 0, returns: 0 });
  }

  /** Remembers a state, if no earlier one had the same marks. */
  see(picks: readonly Pick[], state: GlobalState, at: Reader): void {
    const held = [...this.#marks.keys()].filter((place) => this.#marks[place]?.holds(at) === true);
    const key = held.join();
    if (!this.#points.has(key))
      this.#points.set(key, { picks: [...picks], state, marks: held.length, returns: 0 });
  }

  /** Draws one: rather where much held, and where the walk has seldom gone back to. */
  draw(random: Random): TurningPoint {
    const points = [...this.#points.values()];
    const weights = points.map(({ marks, returns }) => markWorth ** marks / (1 + returns));
    const point = points[weighed(random, weights) as number] as Remembered;
    point.returns += 1;
    return point;
  }
}
