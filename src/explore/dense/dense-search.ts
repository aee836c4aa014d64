/**
 * Breadth-first search with a bit for every state that the closed tables allow. It finds the same states, steps, levels
 * and first violations as the search that hashes, many times as fast, and a state costs a few bits; but it does not
 * keep the order in which states were found, so it cannot tell the way to any of them. Of a finding it knows the depth,
 * which does not depend on how many threads have worked.
 */
import type { Property } from '../../property.ts';
import { lowest } from '../bits.ts';
import { type Closure, close } from '../closure.ts';
import { endlessTalk } from '../component-space.ts';
import type { Engine } from '../engine.ts';
import { Expander } from '../expander.ts';
import { Judge, type JudgedEffect } from '../judge.ts';
import type { Explored } from '../known-states.ts';
import type { Stopped } from '../search.ts';
import { Crew, type HelperMessage, takeRows } from './crew.ts';
import { EndlessTalk } from './event-by-event.ts';
import { type Bitmaps, LevelWork, newBitmaps, type Tally } from './level-work.ts';
import { type DensePlan, planDense } from './plan.ts';
import { programOf } from './program.ts';
import { RankedStates } from './ranked-states.ts';
import type { RowExpander } from './row-expander.ts';
import { type MetEffect, SeenEffects } from './seen-effects.ts';
import { partsWithTimers, type StepUses, tellCoverage } from './usage.ts';

/** Rows looked at between two pauses. */
const pauseEvery = 64;

/** What a dense search may use. */
export interface DenseLimits {
  readonly statesMax: number;
  readonly bytesMax: number;
  readonly threads: number;
}

/** One dense search of one system. */
export class DenseSearch {
  readonly engine: Engine;
  readonly plan: DensePlan;
  readonly judge: Judge;
  /** How many states are known. */
  count = 1;
  /** Steps that were made, those into known states included. */
  edges = 0;
  /** The longest of all shortest runs, so far. */
  depth = 0;
  /** How many states the level at hand has. */
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
  readonly #bitmaps: Bitmaps;
  readonly #effects: readonly JudgedEffect[];
  readonly #seen: SeenEffects;
  readonly #work: LevelWork;
  readonly #crew: Crew | undefined;
  readonly #control: Int32Array;
  readonly #uses: StepUses[] = [];

  private constructor(engine: Engine, judge: Judge, closure: Closure, plan: DensePlan, limits: DenseLimits) {
    this.engine = engine;
    this.judge = judge;
    this.plan = plan;
    this.#limits = limits;
    this.#closure = closure;
    const shared = limits.threads > 1;
    const bitmaps = newBitmaps(plan, shared);
    this.#bitmaps = bitmaps;
    const { program, effects } = programOf(engine, closure);
    this.#effects = effects;
    const reads = effects.map(({ condition }) => condition.components);
    this.#seen = new SeenEffects(reads, plan.sizes);
    this.#work = new LevelWork(program, plan, bitmaps, this.#seen, shared);
    if (shared) this.#crew = new Crew(limits.threads - 1, { program, plan, bitmaps, reads });
    this.#control = this.#crew?.control ?? new Int32Array(1);
    this.#addFirst();
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

  /** Expands rows, for whoever asks further. */
  get rows(): RowExpander {
    return this.#work.rows;
  }

  /** The states that are known. */
  get known(): Int32Array {
    return this.#bitmaps.known;
  }

  /** The states that let time pass, and those at rest. */
  get free(): Int32Array {
    return this.#bitmaps.free;
  }

  /** Whether every reachable state was expanded. */
  get complete(): boolean {
    return this.#done && this.stopped === undefined;
  }

  /** What liveness asks. To be called when the search is complete. */
  explored(): Explored {
    const { engine, edges, timed } = this;
    const { world, spaces, deliveries, offers } = engine;
    const offered = new Int32Array(offers.choiceWords);
    const { steps } = this.#closure;
    const expander = new Expander(world, spaces, deliveries, offers, steps, offered, engine.layout());
    const states = new RankedStates(this.known, this.plan, expander);
    const parts = new Set(this.#uses.flatMap((uses) => [...partsWithTimers(engine, uses)]));
    const limits = this.#limits;
    return { engine, expander, states, edges, limits, timed, partsWithTimers: () => parts };
  }

  /** The bytes that the search holds. */
  get bytes(): number {
    const { known, free, levels, marks } = this.#bitmaps;
    return [known, free, ...levels, ...marks].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Searches; pauses often. Ends when all is seen or `stopped` is set. */
  *run(): Generator<void> {
    try {
      while (this.frontier > 0) {
        yield* this.#expandLevel();
        if (this.frontier > 0) {
          this.depth += 1;
          yield* this.#judgeLevel();
        }
        if (this.count > this.#limits.statesMax) this.stopped = 'max-states';
        if (this.stopped !== undefined) break;
      }
      this.#done = this.stopped === undefined;
      if (this.#crew !== undefined) for (const message of yield* this.#crew.finish()) this.#hear(message);
      this.#uses.push(this.rows.uses());
      for (const uses of this.#uses) tellCoverage(this.engine, uses);
    } catch (error) {
      if (!(error instanceof EndlessTalk)) throw error;
      const { to, event } = this.engine.deliveries.delivery(error.delivery);
      throw endlessTalk(this.engine.world.system.id, to, event);
    }
  }

  /** Ends the other threads, whether or not the search was left half-way. */
  dismiss(): void {
    this.#crew?.dismiss();
  }

  #addFirst(): void {
    const { initial } = this.engine;
    const { inner, rowWords, strides } = this.plan;
    const local = initial[inner] as number;
    const row = initial.reduce((sum, each, component) => sum + each * (strides[component] as number), 0);
    const { known, levels, marks } = this.#bitmaps;
    for (const bitmap of [known, levels[0]]) bitmap[row * rowWords + (local >> 5)] = 1 << (local & 31);
    marks[0][row] = 1;
    this.judge.state(0, Int32Array.from(initial));
  }

  *#expandLevel(): Generator<void> {
    this.#work.begin(this.depth);
    if (this.#crew === undefined) this.#control[0] = 0;
    this.#crew?.begin(this.depth + 1);
    yield* takeRows(this.#control, this.plan, this.#work);
    this.frontier = 0;
    this.#add(this.#work.tally, this.#seen.take());
    if (this.#crew !== undefined) for (const message of yield* this.#crew.end()) this.#hear(message);
  }

  #hear(message: HelperMessage): void {
    if (message.kind === 'level') this.#add(message.tally, message.met);
    else if (message.kind === 'uses') this.#uses.push(message.uses);
    else if (message.kind === 'endless') throw new EndlessTalk(message.delivery);
    else throw new Error(`internal error: a thread failed: ${message.message}`);
  }

  #add({ found, edges, restStates, deadlocks, timed, hasTimers }: Tally, met: readonly MetEffect[]): void {
    this.frontier += found;
    this.count += found;
    this.edges += edges;
    this.restStates += restStates;
    this.deadlocks += deadlocks;
    this.timed ||= timed;
    this.hasTimers ||= hasTimers;
    for (const { effect, pick, locals } of met) {
      this.judge.effect(this.#effects[effect] as JudgedEffect, locals, this.depth, pick);
    }
  }

  /** Judges the states that were found. */
  *#judgeLevel(): Generator<void> {
    const marks = this.#bitmaps.marks[this.depth & 1] as Uint8Array;
    let worked = 0;
    for (let row = 0; row < marks.length && this.judge.watchesStates; row += 1) {
      if (marks[row] === 0) continue;
      this.#judgeRow(row);
      worked += 1;
      if (worked % pauseEvery === 0) yield;
    }
  }

  #judgeRow(row: number): void {
    const { rowWords, inner } = this.plan;
    const { locals } = this.rows;
    const level = this.#bitmaps.levels[this.depth & 1] as Int32Array;
    this.rows.decode(row);
    for (let word = 0; word < rowWords; word += 1) {
      for (let bits = level[row * rowWords + word] as number; bits !== 0; bits &= bits - 1) {
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
