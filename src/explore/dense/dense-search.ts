/**
 * Breadth-first search with a bit for every state that the closed tables allow. It finds the same states, steps, levels
 * and first violations as the search that hashes, many times as fast, and a state costs a few bits; but it does not
 * keep the order in which states were found, so it cannot tell the way to any of them. Of a finding it knows the depth.
 */
import type { Property } from '../../property.ts';
import { lowest, ones } from '../bits.ts';
import { type Closure, close } from '../closure.ts';
import { endlessTalk } from '../component-space.ts';
import type { Engine } from '../engine.ts';
import { Expander } from '../expander.ts';
import { Judge, type JudgedEffect } from '../judge.ts';
import type { Explored } from '../known-states.ts';
import type { Stopped } from '../search.ts';
import { EndlessTalk } from './event-by-event.ts';
import { type DensePlan, planDense } from './plan.ts';
import { programOf } from './program.ts';
import { RankedStates } from './ranked-states.ts';
import { type Mask, RowExpander, type RowSink } from './row-expander.ts';
import { partsWithTimers, tellCoverage } from './usage.ts';

/** Rows looked at between two pauses. */
const pauseEvery = 64;

/** What a dense search may use. */
export interface DenseLimits {
  readonly statesMax: number;
  readonly bytesMax: number;
}

/** One dense search of one system. */
export class DenseSearch implements RowSink {
  readonly engine: Engine;
  readonly plan: DensePlan;
  readonly judge: Judge;
  readonly rows: RowExpander;
  /** The states that are known. */
  readonly known: Int32Array;
  /** The states that let time pass, and those at rest. */
  readonly free: Int32Array;
  /** How many states are known. */
  count = 1;
  /** Steps that were made, those into known states included. */
  edges = 0;
  /** The longest of all shortest runs, so far. */
  depth = 0;
  /** How many states of the level at hand are still to be expanded. */
  frontier = 1;
  restStates = 0;
  deadlocks = 0;
  /** Some timer runs in some state. */
  timed = false;
  /** Whether a timer runs or is due in some state. */
  hasTimers = false;
  stopped: Stopped | undefined;
  #done = false;
  readonly #limits: DenseLimits;
  readonly #closure: Closure;
  readonly #effects: readonly JudgedEffect[];
  #level: Int32Array;
  #next: Int32Array;
  /** By row: the row has states in the level, 1, or in the next one, 2. */
  readonly #marks: Uint8Array;
  #found = 0;

  private constructor(engine: Engine, judge: Judge, closure: Closure, plan: DensePlan, limits: DenseLimits) {
    this.engine = engine;
    this.judge = judge;
    this.plan = plan;
    this.#limits = limits;
    this.#closure = closure;
    const words = plan.rows * plan.rowWords;
    this.known = new Int32Array(words);
    this.free = new Int32Array(words);
    this.#level = new Int32Array(words);
    this.#next = new Int32Array(words);
    this.#marks = new Uint8Array(plan.rows);
    const { program, effects } = programOf(engine, closure);
    this.#effects = effects;
    this.rows = new RowExpander(program, plan, this);
    const inner = engine.initial[plan.inner] as number;
    const row = engine.initial.reduce((sum, local, each) => sum + local * (plan.strides[each] as number), 0);
    const word = row * plan.rowWords + (inner >> 5);
    this.known[word] = 1 << (inner & 31);
    this.#level[word] = 1 << (inner & 31);
    this.#marks[row] = 1;
    this.judge.state(0, Int32Array.from(engine.initial));
  }

  /**
   * Prepares a search, or says why there can be none. A generator, since closing a system takes long.
   *
   * @param engine - of its own: closing it makes local states that no run may lead to
   */
  static *prepare(
    engine: Engine,
    properties: readonly Property[],
    limits: DenseLimits,
  ): Generator<void, DenseSearch | string> {
    const judge = new Judge(engine.world, engine.spaces, properties);
    const closure = yield* close(engine, judge);
    if (typeof closure === 'string') return closure;
    const plan = planDense(closure, limits.bytesMax);
    if (plan === undefined) return tooMany(closure);
    try {
      return new DenseSearch(engine, judge, closure, plan, limits);
    } catch (error) {
      if (error instanceof RangeError) return tooMany(closure); // There is not so much memory in one piece.
      throw error;
    }
  }

  /** Whether every reachable state was expanded. */
  get complete(): boolean {
    return this.#done && this.stopped === undefined;
  }

  /** What liveness asks. To be called when the search is complete; the bitmaps of levels are given up. */
  explored(): Explored {
    const { engine, edges, timed, rows } = this;
    this.#level = new Int32Array(0);
    this.#next = new Int32Array(0);
    const { world, spaces, deliveries, offers } = engine;
    const offered = new Int32Array(offers.choiceWords);
    const { steps } = this.#closure;
    const expander = new Expander(world, spaces, deliveries, offers, steps, offered, engine.layout());
    const states = new RankedStates(this.known, this.plan, expander);
    const parts = partsWithTimers(engine, rows.uses());
    const limits = this.#limits;
    return { engine, expander, states, edges, limits, timed, partsWithTimers: () => parts };
  }

  /** The bytes that the search holds. */
  get bytes(): number {
    return this.known.byteLength * 4 + this.#marks.byteLength;
  }

  /** Searches; pauses often. Ends when all is seen or `stopped` is set. */
  *run(): Generator<void> {
    while (this.frontier > 0) {
      this.#found = 0;
      yield* this.#expandLevel();
      if (this.#found > 0) {
        this.depth += 1;
        yield* this.#judgeLevel();
      }
      [this.#level, this.#next] = [this.#next, this.#level];
      this.frontier = this.#found;
      if (this.count > this.#limits.statesMax) this.stopped = 'max-states';
      if (this.stopped !== undefined) break;
    }
    this.#done = this.stopped === undefined;
    tellCoverage(this.engine, this.rows.uses());
  }

  move(mask: Mask, row: number): void {
    const { known } = this;
    const next = this.#next;
    const start = row * this.plan.rowWords;
    let found = 0;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      const at = start + word;
      const old = known[at] as number;
      const fresh = (mask.bits[word] as number) & ~old;
      if (fresh === 0) continue;
      known[at] = old | fresh;
      next[at] = (next[at] as number) | fresh;
      found += ones(fresh);
    }
    if (found > 0) this.#note(row, found);
  }

  map(mask: Mask, row: number, image: Int32Array): void {
    const { known } = this;
    const next = this.#next;
    const start = row * this.plan.rowWords;
    let found = 0;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = mask.bits[word] as number; bits !== 0; bits &= bits - 1) {
        const to = image[(word << 5) + lowest(bits)] as number;
        if (to < 0) continue;
        const at = start + (to >> 5);
        const old = known[at] as number;
        const bit = 1 << (to & 31);
        if ((old & bit) !== 0) continue;
        known[at] = old | bit;
        next[at] = (next[at] as number) | bit;
        found += 1;
      }
    }
    if (found > 0) this.#note(row, found);
  }

  one(_from: number, row: number, to: number): void {
    const at = row * this.plan.rowWords + (to >> 5);
    const old = this.known[at] as number;
    const bit = 1 << (to & 31);
    if ((old & bit) !== 0) return;
    this.known[at] = old | bit;
    this.#next[at] = (this.#next[at] as number) | bit;
    this.#note(row, 1);
  }

  effect(effect: number, pick: number): void {
    this.judge.effect(this.#effects[effect] as JudgedEffect, this.rows.locals, this.depth, pick);
  }

  #note(row: number, found: number): void {
    this.#marks[row] = (this.#marks[row] as number) | 2;
    this.#found += found;
    this.count += found;
  }

  *#expandLevel(): Generator<void> {
    const marks = this.#marks;
    const { rowWords } = this.plan;
    let worked = 0;
    for (let row = 0; row < marks.length; row += 1) {
      if (((marks[row] as number) & 1) === 0) continue;
      marks[row] = (marks[row] as number) & 2;
      if (!this.rows.load(this.#level, row)) continue;
      this.#level.fill(0, row * rowWords, (row + 1) * rowWords);
      this.#expandRow(row);
      this.#noteRow(row);
      worked += 1;
      if (worked % pauseEvery === 0) yield;
    }
  }

  #expandRow(row: number): void {
    try {
      this.rows.expand(row);
    } catch (error) {
      if (!(error instanceof EndlessTalk)) throw error;
      const { to, event } = this.engine.deliveries.delivery(error.delivery);
      throw endlessTalk(this.engine.world.system.id, to, event);
    }
  }

  /** Notes what there is to know of the states of a row that were expanded. */
  #noteRow(row: number): void {
    const { rows, free } = this;
    const { frontier, time, timed, stepping, inner } = rows;
    this.edges += rows.steps;
    if (rows.hasRunning) this.timed = true;
    const start = row * this.plan.rowWords;
    for (let place = 0; place < frontier.count; place += 1) {
      const word = frontier.words[place] as number;
      const bits = frontier.bits[word] as number;
      const isTimed = timed[word] as number;
      if (isTimed !== 0) this.hasTimers = true;
      let isFree = (time.bits[word] as number) | (bits & ~isTimed);
      const stuck = bits & ~(stepping[word] as number);
      if (stuck !== 0) {
        const rest = rows.othersRest ? stuck & ~(inner.restless[word] as number) : 0;
        this.restStates += ones(rest);
        this.deadlocks += ones(stuck & ~rest);
        isFree |= rest;
      }
      free[start + word] = (free[start + word] as number) | isFree;
      this.frontier -= ones(bits);
    }
  }

  /** Judges the states that were found, and makes the next level's marks this level's. */
  *#judgeLevel(): Generator<void> {
    const marks = this.#marks;
    let worked = 0;
    for (let row = 0; row < marks.length; row += 1) {
      if (marks[row] === 0) continue;
      marks[row] = (marks[row] as number) >> 1;
      if (!this.judge.watchesStates) continue;
      this.#judgeRow(row);
      worked += 1;
      if (worked % pauseEvery === 0) yield;
    }
  }

  #judgeRow(row: number): void {
    const { rowWords, inner } = this.plan;
    const { locals } = this.rows;
    this.rows.decode(row);
    for (let word = 0; word < rowWords; word += 1) {
      for (let bits = this.#next[row * rowWords + word] as number; bits !== 0; bits &= bits - 1) {
        locals[inner] = (word << 5) + lowest(bits);
        this.judge.state(this.depth, locals);
      }
    }
  }
}

function tooMany({ sizes }: Closure): string {
  const bits = sizes.reduce((product, size) => product * size, 1);
  const words = sizes.map((size) => size.toLocaleString('en')).join(' × ');
  return `its components may have ${words} local states, and ${bits.toPrecision(3)} bits for their combinations are more than the memory that may be used`;
}
