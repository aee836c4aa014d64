/**
 * Which strongly connected components a run may stay in for ever without being unfair.
 *
 * An action is enabled in a state if one of its steps changes that state. A weakly fair action must be taken inside
 * the component or be disabled somewhere in it: if not, no cycle in it is fair. A strongly fair action must be taken
 * inside or be enabled nowhere: if not, a fair cycle can only keep away from the states that enable it, so those are
 * removed and the rest is taken apart again (Streett). Any run may also stand still, so a single state is a component
 * like any other: standing still is fair when no fair action is enabled.
 *
 * A run that breaks a liveness clause for ever ends in a fair component with a state that breaks it, and in such a
 * component there is such a run.
 */
import type { FairAction } from './fair-actions.ts';
import { type Rows, unlabelled } from './region-graph.ts';
import { outside, StrongComponents } from './strong-components.ts';

const weak = 1;
const strong = 2;

/** A fair component that holds a bad state. */
export interface BadComponent {
  /** Its states. */
  readonly states: Int32Array;
  /** The first of its bad states. */
  readonly bad: number;
  /** The first of its bad states in which a run may stand still, or -1. */
  readonly still: number;
}

/** States looked at between two pauses. */
const pauseEvery = 0x2000;

/** Finds fair components with bad states, under changing assumptions. */
export class FairComponents {
  readonly #rows: Rows;
  readonly #actions: readonly FairAction[];
  readonly #isBad: (state: number) => boolean;
  readonly #components: StrongComponents;
  /** Pairs of places in the components' order: the components that hold a bad state. */
  #suspects = new Int32Array(1024);
  #suspectCount = 0;
  readonly #assumed: Uint8Array;
  /** By action, for the component at hand: how many states enable it, whether it is taken inside. */
  readonly #enabled: Int32Array;
  readonly #taken: Uint8Array;
  readonly #lastState: Int32Array;
  readonly #seen: number[] = [];
  #worked = 0;

  constructor(rows: Rows, actions: readonly FairAction[], isBad: (state: number) => boolean) {
    this.#rows = rows;
    this.#actions = actions;
    this.#isBad = isBad;
    this.#components = new StrongComponents(rows);
    this.#assumed = new Uint8Array(actions.length);
    this.#enabled = new Int32Array(actions.length);
    this.#taken = new Uint8Array(actions.length);
    this.#lastState = new Int32Array(actions.length).fill(-1);
  }

  /** Finds the components, whatever is fair. To be called once, before {@link FairComponents.bad}. */
  *prepare(): Generator<void> {
    const { order, name } = this.#components;
    yield* this.#components.split(0, order.length);
    for (let from = 0; from < order.length; ) {
      let to = from;
      let bad = false;
      while (to < order.length && name[order[to] as number] === name[order[from] as number]) {
        bad ||= this.#isBad(order[to] as number);
        to += 1;
        if ((to & 0xfff) === 0) yield;
      }
      if (bad) this.#suspect(from, to);
      from = to;
    }
  }

  /**
   * Finds fair components with a bad state, under the assumptions about some actions.
   *
   * @param assumed - whether an action's fairness is assumed, by label
   * @param onFound - is told of each; says whether to look on
   */
  *bad(assumed: (label: number) => boolean, onFound: (found: BadComponent) => boolean): Generator<void> {
    for (const [label, { kind }] of this.#actions.entries()) {
      this.#assumed[label] = assumed(label) ? (kind === 'weak' ? weak : strong) : 0;
    }
    for (let pair = 0; pair < this.#suspectCount; pair += 2) {
      const goOn = yield* this.#judge(
        this.#suspects[pair] as number,
        this.#suspects[pair + 1] as number,
        onFound,
      );
      if (!goOn) return;
    }
  }

  #suspect(from: number, to: number): void {
    if (this.#suspectCount === this.#suspects.length) {
      const longer = new Int32Array(this.#suspectCount * 2);
      longer.set(this.#suspects);
      this.#suspects = longer;
    }
    this.#suspects[this.#suspectCount] = from;
    this.#suspects[this.#suspectCount + 1] = to;
    this.#suspectCount += 2;
  }

  /** Judges one of the first components and what it falls into; puts it together again afterwards. */
  *#judge(from: number, to: number, onFound: (found: BadComponent) => boolean): Generator<void, boolean> {
    const { order, name } = this.#components;
    const whole = name[order[from] as number] as number;
    const pending = [from, to];
    let goOn = true;
    while (goOn && pending.length > 0) {
      const end = pending.pop() as number;
      const start = pending.pop() as number;
      yield* this.#count(start, end);
      const avoid = this.#mustAvoid(end - start);
      if (avoid === 'unfair') continue;
      if (avoid.length > 0) {
        yield* this.#avoid(avoid, start, end, pending);
        continue;
      }
      const bad = this.#first(start, end, this.#isBad);
      if (bad < 0) continue;
      const still = this.#first(start, end, (state) => this.#mayStandStill(state) && this.#isBad(state));
      goOn = onFound({ states: order.slice(start, end), bad, still });
    }
    for (let place = from; place < to; place += 1) name[order[place] as number] = whole;
    return goOn;
  }

  /** Counts, for the component in some places of the order, where each action is enabled and whether it is taken. */
  *#count(from: number, to: number): Generator<void> {
    for (const label of this.#seen) {
      this.#enabled[label] = 0;
      this.#taken[label] = 0;
      this.#lastState[label] = -1;
    }
    this.#seen.length = 0;
    for (let start = from; start < to; start += pauseEvery) {
      const end = Math.min(start + pauseEvery, to);
      this.#countSome(start, end);
      this.#worked += end - start;
      if (this.#worked < pauseEvery) continue;
      this.#worked = 0;
      yield;
    }
  }

  #countSome(from: number, to: number): void {
    const { order, name } = this.#components;
    for (let place = from; place < to; place += 1) {
      const state = order[place] as number;
      const targets = this.#rows.targets(state);
      const labels = this.#rows.labels(state);
      const end = this.#rows.stop(state);
      for (let edge = this.#rows.start(state); edge < end; edge += 1) {
        const label = labels[edge] as number;
        if (label === unlabelled || this.#assumed[label] === 0) continue;
        if (this.#lastState[label] !== state) {
          this.#lastState[label] = state;
          if (this.#enabled[label] === 0) this.#seen.push(label);
          this.#enabled[label] = (this.#enabled[label] as number) + 1;
        }
        if (name[targets[edge] as number] === name[state]) this.#taken[label] = 1;
      }
    }
  }

  /** The strongly fair actions whose states a fair cycle must avoid; or that no cycle is fair. */
  #mustAvoid(size: number): readonly number[] | 'unfair' {
    const avoid: number[] = [];
    for (const label of this.#seen) {
      if (this.#taken[label] === 1) continue;
      if (this.#assumed[label] === strong) avoid.push(label);
      else if (this.#enabled[label] === size) return 'unfair';
    }
    return avoid;
  }

  /** Removes the states that enable some actions, takes the rest apart, and appends the pieces' places. */
  *#avoid(actions: readonly number[], from: number, to: number, pieces: number[]): Generator<void> {
    const { order, name } = this.#components;
    let kept = from;
    for (let place = from; place < to; place += 1) {
      const state = order[place] as number;
      if (this.#enables(state, actions)) {
        name[state] = outside;
        continue;
      }
      name[state] = 0;
      order[place] = order[kept] as number;
      order[kept] = state;
      kept += 1;
    }
    yield* this.#components.split(from, kept);
    for (let start = from; start < kept; ) {
      let end = start;
      while (end < kept && name[order[end] as number] === name[order[start] as number]) end += 1;
      pieces.push(start, end);
      start = end;
    }
  }

  #enables(state: number, actions: readonly number[]): boolean {
    const labels = this.#rows.labels(state);
    const end = this.#rows.stop(state);
    for (let edge = this.#rows.start(state); edge < end; edge += 1) {
      if (actions.includes(labels[edge] as number)) return true;
    }
    return false;
  }

  #mayStandStill(state: number): boolean {
    const labels = this.#rows.labels(state);
    const end = this.#rows.stop(state);
    for (let edge = this.#rows.start(state); edge < end; edge += 1) {
      const label = labels[edge] as number;
      if (label !== unlabelled && this.#assumed[label] !== 0) return false;
    }
    return true;
  }

  /** The smallest state that is wanted, or -1. */
  #first(from: number, to: number, wanted: (state: number) => boolean): number {
    const { order } = this.#components;
    let first = -1;
    for (let place = from; place < to; place += 1) {
      const state = order[place] as number;
      if ((first < 0 || state < first) && wanted(state)) first = state;
    }
    return first;
  }
}
