/**
 * Breadth-first search of all states. States are numbered in the order in which they are found and expanded in that
 * order, steps in the order of `World.picks`; so the way back over the parents is a shortest run, and among the
 * shortest the one whose picks come first.
 *
 * States are expanded into a buffer, some hundred at a time; then every result's slot in the hash table is read,
 * and what it points to, so that the processor fetches them side by side; then the results are added. A batch never crosses a level.
 */
import type { Engine } from './engine.ts';
import type { Expander } from './expander.ts';
import type { JudgedEffect } from './judge.ts';
import type { Explored } from './known-states.ts';
import { StateBits } from './state-bits.ts';
import { StateTable } from './state-table.ts';

/** Results in a batch, roughly. */
const batchResults = 1024;

/** A batch ends early when so many new things were asked of XState, since each may take a millisecond. */
const batchAsks = 4;

/** Why a search ended before it had seen everything. */
export type Stopped = 'max-states' | 'interrupted' | 'out-of-memory';

/** What a search may use. */
export interface SearchLimits {
  readonly statesMax: number;
  readonly bytesMax: number;
}

/** One search of one system. */
export class Search implements Explored {
  readonly engine: Engine;
  readonly expander: Expander;
  readonly states: StateTable;
  /** The number of the first state of each level. */
  readonly levels: number[] = [0];
  /** How many states the known ones stand for: with symmetry, those of their orbits. */
  unreduced = 0;
  /** Steps that were made, those into known states included. */
  edges = 0;
  /** States without a step in which every part is final or at rest. */
  restStates = 0;
  /** States without a step otherwise. */
  deadlocks = 0;
  /** The first of those. */
  firstDeadlock: number | undefined;
  /** Some timer runs in some state. */
  timed = false;
  /** Whether a timer runs or is due in some state. */
  hasTimers = false;
  /** The states that let time pass, and those at rest. */
  readonly free = new StateBits();
  /** Why the search ended early, if it did. */
  stopped: Stopped | undefined;
  /** The next state to be expanded. */
  head = 0;
  /** The level's last state and one. */
  #levelEnd = 1;
  /** What it may use. */
  readonly limits: SearchLimits;
  /** For each result of the batch, the state that it comes from. */
  #parents = new Int32Array(0);
  readonly #locals: Int32Array;

  constructor(engine: Engine, limits: SearchLimits) {
    this.engine = engine;
    this.expander = engine.expander;
    this.limits = limits;
    this.states = new StateTable(engine.expander.layout.words);
    this.#locals = new Int32Array(engine.spaces.length);
    const first = new Int32Array(this.states.words);
    this.expander.pack(engine.initial, first, 0);
    this.states.addBatch(first, 1, Int32Array.of(0), 1);
    this.#judge(0);
  }

  /** Whether every reachable state was expanded. */
  get complete(): boolean {
    return this.stopped === undefined && this.head === this.states.count;
  }

  /** The level that a state was found on. */
  depth(state: number): number {
    if (state >= this.#levelEnd) return this.levels.length;
    let low = 0;
    let high = this.levels.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.levels[middle] as number) <= state) low = middle;
      else high = middle;
    }
    return low;
  }

  partsWithTimers(): ReadonlySet<number> {
    const { fired } = this.expander;
    return new Set([...fired.keys()].filter((part) => fired[part] === 1));
  }

  /** Searches; pauses often, so that the caller can look at the time. Ends when all is seen or `stopped` is set. */
  *run(): Generator<void> {
    while (this.head < this.states.count && this.stopped === undefined) {
      const outgrown = this.#expandBatch();
      yield* this.states.reserve(this.expander.count);
      this.#addBatch();
      if (outgrown) yield* this.#repack();
      if (this.states.bytes > this.limits.bytesMax) this.stopped ??= 'out-of-memory';
      yield;
    }
  }

  /** @returns whether a component has outgrown the layout, so that the state at the head must be expanded again */
  #expandBatch(): boolean {
    const { states } = this;
    const { expander } = this;
    expander.clear();
    if (this.head === this.#levelEnd) {
      this.levels.push(this.#levelEnd);
      this.#levelEnd = states.count;
    }
    const asked = expander.asked();
    while (
      this.head < this.#levelEnd &&
      expander.count < batchResults &&
      expander.asked() - asked < batchAsks
    ) {
      const before = expander.count;
      expander.expand(states.chunk(this.head), states.offset(this.head));
      if (expander.outgrown()) {
        expander.clear(before);
        return true;
      }
      this.#note(before);
      this.head += 1;
    }
    return false;
  }

  /** Notes what there is to know of the state at the head, whose results begin at a place in the buffer. */
  #note(before: number): void {
    const { expander } = this;
    const { judge } = this.engine;
    const { count } = expander;
    this.edges += expander.steps;
    if (expander.hasRunning) this.timed = true;
    if (expander.timed) this.hasTimers = true;
    if (expander.offersTime || !expander.timed) this.free.add(this.head);
    if (expander.steps === 0) {
      if (expander.mayRest) {
        this.restStates += 1;
        this.free.add(this.head);
      } else {
        this.deadlocks += 1;
        this.firstDeadlock ??= this.head;
      }
    }
    for (let place = 0; place < expander.effects.length; place += 1) {
      const effect = expander.effects[place] as JudgedEffect;
      judge.effect(effect, expander.locals, this.head, expander.effectPicks[place] as number);
    }
    if (count > this.#parents.length) {
      const longer = new Int32Array(count * 2);
      longer.set(this.#parents);
      this.#parents = longer;
    }
    const parents = this.#parents;
    const { head } = this;
    for (let result = before; result < count; result += 1) parents[result] = head;
  }

  #addBatch(): void {
    const { states } = this;
    const { expander } = this;
    const first = states.count;
    const all = states.addBatch(expander.words, expander.count, this.#parents, this.limits.statesMax);
    if (!all) this.stopped = 'max-states';
    if (!this.engine.judge.watchesStates && this.engine.symmetry === undefined) {
      this.unreduced = states.count;
      return;
    }
    for (let state = first; state < states.count; state += 1) this.#judge(state);
  }

  #judge(state: number): void {
    this.expander.unpack(this.states.chunk(state), this.states.offset(state), this.#locals);
    this.engine.judge.state(state, this.#locals);
    this.unreduced += this.engine.symmetry?.orbitSize(this.#locals) ?? 1;
  }

  *#repack(): Generator<void> {
    const { expander } = this;
    const layout = this.engine.layout();
    yield* this.states.repack(expander.layout, layout, () => {
      expander.layout = layout;
    });
  }
}
