/**
 * Strongly connected components of a set of states, after Tarjan in Pearce's form: one number for each state, and no
 * recursion.
 *
 * A number is 0 for a state that is still to be visited, small while it is being visited, and large (from 2^31 - 2
 * downwards) once its component is known, when it is the component's name. States with a large number are passed over,
 * so a component can be taken apart again on its own: set its states to 0 and ask again.
 */
import type { Rows } from './region-graph.ts';

/** The name of states that are left out. */
export const outside = 0x7fffffff;

/** Steps walked between two pauses. */
const pauseEvery = 0x3fff;

/** Finds components, again and again. */
export class StrongComponents {
  /** For each state: the name of its component. */
  readonly name: Int32Array;
  /** All states; the states of one component lie side by side. */
  readonly order: Int32Array;
  readonly #rows: Rows;
  readonly #next: Int32Array;
  /** From its low end the states on the way, from its high end those whose component is not yet known. */
  readonly #stack: Int32Array;
  readonly #isRoot: Uint8Array;
  readonly #from: Int32Array;
  #lastName = outside - 1;

  constructor(rows: Rows) {
    const { count } = rows;
    this.#rows = rows;
    this.name = new Int32Array(count);
    this.order = new Int32Array(count);
    for (let state = 0; state < count; state += 1) this.order[state] = state;
    this.#next = new Int32Array(count);
    this.#stack = new Int32Array(count);
    this.#isRoot = new Uint8Array(count);
    this.#from = new Int32Array(count);
  }

  /** Takes apart the states in `order` from one place to another, all of which must have the name 0. */
  *split(from: number, to: number): Generator<void> {
    const { name, order } = this;
    this.#from.set(order.subarray(from, to), from);
    let emitted = from;
    let walked = 0;
    let visit = 1;
    const rows = this.#rows;
    const stack = this.#stack;
    const next = this.#next;
    let waiting = stack.length;
    for (let place = from; place < to; place += 1) {
      const root = this.#from[place] as number;
      if (name[root] !== 0) continue;
      let depth = 0;
      stack[depth] = root;
      depth += 1;
      name[root] = visit;
      visit += 1;
      next[root] = rows.start(root);
      this.#isRoot[root] = 1;
      while (depth > 0) {
        walked += 1;
        if ((walked & pauseEvery) === 0) yield;
        const state = stack[depth - 1] as number;
        const into = this.#advance(state);
        if (into >= 0) {
          stack[depth] = into;
          depth += 1;
          name[into] = visit;
          visit += 1;
          next[into] = rows.start(into);
          this.#isRoot[into] = 1;
          continue;
        }
        depth -= 1;
        if (this.#isRoot[state] !== 1) {
          waiting -= 1;
          stack[waiting] = state;
          continue;
        }
        while (
          waiting < stack.length &&
          (name[stack[waiting] as number] as number) >= (name[state] as number)
        ) {
          const member = stack[waiting] as number;
          waiting += 1;
          name[member] = this.#lastName;
          order[emitted] = member;
          emitted += 1;
        }
        name[state] = this.#lastName;
        order[emitted] = state;
        emitted += 1;
        this.#lastName -= 1;
      }
    }
  }

  /** Walks on along a state's row. @returns a state that has not been visited, or -1 at the row's end */
  #advance(state: number): number {
    const { name } = this;
    const targets = this.#rows.targets(state);
    const end = this.#rows.stop(state);
    let own = name[state] as number;
    for (let edge = this.#next[state] as number; edge < end; edge += 1) {
      const target = targets[edge] as number;
      const other = name[target] as number;
      if (other === 0) {
        this.#next[state] = edge; // It is looked at once more on the way back.
        name[state] = own;
        return target;
      }
      if (other < own) {
        own = other;
        this.#isRoot[state] = 0;
      }
    }
    name[state] = own;
    return -1;
  }
}
