/**
 * The part of the state space in which a liveness property makes its promise, as a graph: its states numbered without
 * gaps, and for each the steps that change it, in rows one after another.
 *
 * A step carries a label: the action that fairness may be assumed of, or {@link unlabelled}. Steps that change nothing
 * are left out, for to make them is to stand still, and that a run may do anywhere unless fairness forbids it.
 */

import { describePick } from '../semantics/world.ts';
import { SystemError } from '../system.ts';
import { ones } from './bits.ts';
import type { RememberedCondition } from './clauses.ts';
import type { FairActions } from './fair-actions.ts';
import type { Explored } from './known-states.ts';
import { Search } from './search.ts';

/** The label of steps of which nothing is assumed. */
export const unlabelled = 0xffff;

/** States looked at between two pauses. */
const pauseEvery = 1024;

/** Steps whose targets are looked up together. */
const batchResults = 1024;

const chunkBits = 12;
const chunkMask = (1 << chunkBits) - 1;

/** A graph in compressed rows, in chunks of states. */
export class Rows {
  /** How many states there are. */
  count = 0;
  readonly #starts: Int32Array[] = [];
  readonly #targets: Int32Array[] = [];
  readonly #labels: Uint16Array[] = [];
  #nextStarts = new Int32Array((1 << chunkBits) + 1);
  #nextTargets = new Int32Array(1024);
  #nextLabels = new Uint16Array(1024);
  #edges = 0;

  /** Adds a step of the state whose row is being written. */
  addEdge(target: number, label: number): void {
    if (this.#edges === this.#nextTargets.length) {
      const targets = new Int32Array(this.#edges * 2);
      targets.set(this.#nextTargets);
      this.#nextTargets = targets;
      const labels = new Uint16Array(this.#edges * 2);
      labels.set(this.#nextLabels);
      this.#nextLabels = labels;
    }
    this.#nextTargets[this.#edges] = target;
    this.#nextLabels[this.#edges] = label;
    this.#edges += 1;
  }

  /** Ends the row of a state; the next one begins. */
  endRow(): void {
    this.count += 1;
    const place = this.count & chunkMask;
    this.#nextStarts[place === 0 ? chunkMask + 1 : place] = this.#edges;
    if (place === 0) this.#flush();
  }

  /** Ends the graph. */
  end(): void {
    if ((this.count & chunkMask) !== 0) this.#flush();
  }

  /** The targets of the chunk in which a state's row lies. */
  targets(state: number): Int32Array {
    return this.#targets[state >> chunkBits] as Int32Array;
  }

  /** The labels of the chunk in which a state's row lies. */
  labels(state: number): Uint16Array {
    return this.#labels[state >> chunkBits] as Uint16Array;
  }

  /** Where in its chunk a state's row begins. */
  start(state: number): number {
    return this.#starts[state >> chunkBits]?.[state & chunkMask] as number;
  }

  /** Where in its chunk a state's row ends. */
  stop(state: number): number {
    return this.#starts[state >> chunkBits]?.[(state & chunkMask) + 1] as number;
  }

  #flush(): void {
    this.#starts.push(this.#nextStarts.slice());
    this.#targets.push(this.#nextTargets.slice(0, this.#edges));
    this.#labels.push(this.#nextLabels.slice(0, this.#edges));
    this.#edges = 0;
    this.#nextStarts[0] = 0;
  }
}

/** The states of a region, numbered without gaps in the order of the search. */
export class Region {
  /** For each state of the region: its number in the search. */
  readonly states: Int32Array;
  readonly #bits: Int32Array;
  /** For each word of bits: how many states of the region come before it. */
  readonly #before: Int32Array;

  private constructor(bits: Int32Array) {
    this.#bits = bits;
    this.#before = new Int32Array(bits.length);
    let count = 0;
    for (const [word, each] of bits.entries()) {
      this.#before[word] = count;
      count += ones(each);
    }
    this.states = new Int32Array(count);
    let place = 0;
    for (let word = 0; word < bits.length; word += 1) {
      for (let rest = bits[word] as number; rest !== 0; rest &= rest - 1) {
        this.states[place] = (word << 5) + 31 - Math.clz32(rest & -rest);
        place += 1;
      }
    }
  }

  /** Finds the states in which a condition holds. A generator, since it may take long. */
  static *of(search: Explored, within: RememberedCondition): Generator<void, Region> {
    const { count } = search.states;
    const bits = new Int32Array((count + 31) >> 5);
    for (let start = 0; start < count; start += pauseEvery) {
      markStates(search, within, bits, start, Math.min(start + pauseEvery, count));
      yield;
    }
    return new Region(bits);
  }

  /** Whether another region consists of the same states. */
  equals(other: Region): boolean {
    return (
      this.states.length === other.states.length &&
      this.#bits.every((word, place) => word === other.#bits[place])
    );
  }

  /** The number of a state of the search in this region, or -1. */
  number(state: number): number {
    const word = this.#bits[state >> 5] as number;
    const bit = 1 << (state & 31);
    if ((word & bit) === 0) return -1;
    return (this.#before[state >> 5] as number) + ones(word & (bit - 1));
  }
}

function markStates(
  search: Explored,
  within: RememberedCondition,
  bits: Int32Array,
  from: number,
  to: number,
): void {
  const { states, engine, expander } = search;
  const locals = new Int32Array(engine.spaces.length);
  for (let state = from; state < to; state += 1) {
    expander.unpack(states.chunk(state), states.offset(state), locals);
    if (within.holds(locals)) bits[state >> 5] = (bits[state >> 5] as number) | (1 << (state & 31));
  }
}

/**
 * Makes the graph of a region. A generator, since it may take long.
 *
 * @throws SystemError if a step leaves the region
 */
export function* regionGraph(
  search: Explored,
  region: Region,
  actions: FairActions,
  property: string,
): Generator<void, Rows> {
  const rows = new Rows();
  const { states } = region;
  for (let from = 0; from < states.length; ) {
    from = addRows(rows, search, region, actions, property, from);
    yield;
  }
  rows.end();
  return rows;
}

/** Adds the rows of some states, from one on. @returns the next state */
function addRows(
  rows: Rows,
  search: Explored,
  region: Region,
  actions: FairActions,
  property: string,
  first: number,
): number {
  const { states, engine, expander } = search;
  const ends: number[] = [];
  let next = first;
  expander.clear();
  while (next < region.states.length && expander.count < batchResults) {
    const state = region.states[next] as number;
    expander.expand(states.chunk(state), states.offset(state));
    ends.push(expander.count);
    next += 1;
  }
  const found = new Int32Array(expander.count);
  states.findBatch(expander.words, expander.count, found);
  let result = 0;
  for (const [place, end] of ends.entries()) {
    for (; result < end; result += 1) {
      const target = region.number(found[result] as number);
      const pick = expander.picks[result] as number;
      if (target < 0) {
        const state = region.states[first + place] as number;
        throw leaves(property, describePick(engine.picks.pick(pick)), depthOf(search, state));
      }
      rows.addEdge(target, actions.label(pick));
    }
    rows.endRow();
  }
  return next;
}

function depthOf(search: Explored, state: number): string {
  return search instanceof Search ? `after ${search.depth(state)} steps` : 'in some run';
}

function leaves(property: string, pick: string, when: string): SystemError {
  return new SystemError(
    `property '${property}', within: ${when} the region is entered, and '${pick}' leaves it again. A promise of "for good" needs a region that is never left: let the parts that it reads have a state without a way back.`,
  );
}
