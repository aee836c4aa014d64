/** Ends walks: lets them settle, and remembers what becomes of a state. */
import type { EventuallyAlways, Property } from '../property.ts';
import type { GlobalState, Pick } from '../semantics/world.ts';
import { cycleBreaks, livenessOf } from './judge-walk.ts';
import { settle } from './settle.ts';
import type { Walk } from './walk.ts';
import type { Walker } from './walker.ts';

/** More ends than this are not remembered. */
const remembersMax = 200_000;

/** A walk with its end. */
export interface Closed {
  readonly walk: Walk;
  /** It breaks one of the properties. */
  readonly breaks: boolean;
}

/** What becomes of a state. */
interface End {
  readonly picks: readonly Pick[];
  readonly loop: number;
  readonly breaks: boolean;
}

/** Ends walks of one system, for its liveness properties: for each by itself, so that none depends on the others. */
export class Closer {
  readonly properties: readonly EventuallyAlways[];
  readonly #walker: Walker;
  readonly #ends = new Map<string, End | undefined>();

  constructor(walker: Walker, properties: readonly Property[]) {
    this.#walker = walker;
    this.properties = livenessOf(properties);
  }

  /**
   * Lets a walk settle.
   *
   * @param turn - the order of the offer behind which the first turn is
   * @returns the first end that breaks a property, else the first of all; undefined if there is none
   */
  close(picks: readonly Pick[], state: GlobalState, turn = ''): Closed | undefined {
    let first: Closed | undefined;
    for (const property of this.properties) {
      const end = turn === '' ? this.#remembered(property, state) : this.#end(property, state, turn);
      if (end === undefined) continue;
      const walk = { picks: [...picks, ...end.picks], drawn: picks.length, loop: picks.length + end.loop };
      if (end.breaks) return { walk, breaks: true };
      first ??= { walk, breaks: false };
    }
    return first;
  }

  #remembered(property: EventuallyAlways, state: GlobalState): End | undefined {
    const key = `${property.id} ${state.join()}`;
    if (this.#ends.has(key)) return this.#ends.get(key);
    if (this.#ends.size >= remembersMax) this.#ends.clear();
    const end = this.#end(property, state, '');
    this.#ends.set(key, end);
    return end;
  }

  #end(property: EventuallyAlways, state: GlobalState, turn: string): End | undefined {
    const settled = settle(this.#walker, state, property.within, turn);
    if (settled === undefined) return undefined;
    const { picks, loop, states } = settled;
    const last = Math.max(loop + 1, states.length - 1);
    const cycle = states.slice(loop, last).map((each) => this.#walker.reader(each));
    return { picks, loop, breaks: cycleBreaks(property, cycle) };
  }
}
