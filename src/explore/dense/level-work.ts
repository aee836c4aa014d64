/**
 * One thread's part of a dense search: rows of a level, expanded into the next level. With several threads the bitmaps
 * lie in shared memory, and a bit belongs to whoever sets it first.
 */
import { lowest, ones } from '../bits.ts';
import type { DensePlan } from './plan.ts';
import type { Program } from './program.ts';
import { type Mask, RowExpander, type RowSink } from './row-expander.ts';
import type { SeenEffects } from './seen-effects.ts';

/** The memory of a dense search. */
export interface Bitmaps {
  /** The states that are known. */
  readonly known: Int32Array;
  /** The states that let time pass, and those at rest. */
  readonly free: Int32Array;
  /** Two levels: the states that are expanded, and those that are found, by turns. */
  readonly levels: readonly [Int32Array, Int32Array];
  /** By row, for each of the two: it has states in the level. */
  readonly marks: readonly [Uint8Array, Uint8Array];
}

/** The bitmaps of a plan, all empty. */
export function newBitmaps({ rows, rowWords }: DensePlan, shared: boolean): Bitmaps {
  const Memory = shared ? SharedArrayBuffer : ArrayBuffer;
  const words = (): Int32Array => new Int32Array(new Memory(rows * rowWords * 4));
  const marks = (): Uint8Array => new Uint8Array(new Memory(rows));
  return { known: words(), free: words(), levels: [words(), words()], marks: [marks(), marks()] };
}

/** What a thread counts. */
export interface Tally {
  /** States that it found. */
  found: number;
  /** Steps that it made. */
  edges: number;
  restStates: number;
  deadlocks: number;
  /** Some timer runs in some state. */
  timed: boolean;
  /** Some timer runs or is due in some state. */
  hasTimers: boolean;
}

/** Expands rows of the level at hand. */
export class LevelWork {
  readonly rows: RowExpander;
  tally: Tally = noTally();
  readonly #plan: DensePlan;
  readonly #bitmaps: Bitmaps;
  readonly #sink: LevelSink;
  #level = 0;

  constructor(program: Program, plan: DensePlan, bitmaps: Bitmaps, effects: SeenEffects, shared: boolean) {
    this.#plan = plan;
    this.#bitmaps = bitmaps;
    this.#sink = shared ? new SharedLevelSink(plan, bitmaps, effects) : new LevelSink(plan, bitmaps, effects);
    this.rows = new RowExpander(program, plan, this.#sink);
    this.#sink.locals = this.rows.locals;
  }

  /** Turns to a level; what was counted is forgotten. */
  begin(level: number): void {
    this.#level = level & 1;
    this.#sink.turn(level);
    this.tally = noTally();
  }

  /** Expands the states of a row that are in the level. @returns whether there were any */
  expand(row: number): boolean {
    const { rowWords } = this.#plan;
    const marks = this.#bitmaps.marks[this.#level] as Uint8Array;
    if (marks[row] === 0) return false;
    marks[row] = 0;
    const level = this.#bitmaps.levels[this.#level] as Int32Array;
    this.rows.load(level, row);
    level.fill(0, row * rowWords, (row + 1) * rowWords);
    this.#sink.found = 0;
    this.rows.expand(row);
    this.tally.found += this.#sink.found;
    this.#note(row);
    return true;
  }

  /** Notes what there is to know of the states of a row that were expanded. No other thread expands this row. */
  #note(row: number): void {
    const { rows, tally } = this;
    const { free } = this.#bitmaps;
    const { frontier, time, timed, stepping, inner } = rows;
    tally.edges += rows.steps;
    if (rows.hasRunning) tally.timed = true;
    const start = row * this.#plan.rowWords;
    for (let place = 0; place < frontier.count; place += 1) {
      const word = frontier.words[place] as number;
      const bits = frontier.bits[word] as number;
      const isTimed = timed[word] as number;
      if (isTimed !== 0) tally.hasTimers = true;
      let isFree = (time.bits[word] as number) | (bits & ~isTimed);
      const stuck = bits & ~(stepping[word] as number);
      if (stuck !== 0) {
        const rest = rows.othersRest ? stuck & ~(inner.restless[word] as number) : 0;
        tally.restStates += ones(rest);
        tally.deadlocks += ones(stuck & ~rest);
        isFree |= rest;
      }
      free[start + word] = (free[start + word] as number) | isFree;
    }
  }
}

function noTally(): Tally {
  return { found: 0, edges: 0, restStates: 0, deadlocks: 0, timed: false, hasTimers: false };
}

/** Adds states to the next level. */
class LevelSink implements RowSink {
  found = 0;
  /** The local states of the state whose effects are told. */
  locals: Int32Array = new Int32Array(0);
  protected readonly known: Int32Array;
  protected readonly rowWords: number;
  protected next: Int32Array;
  protected marks: Uint8Array;
  readonly #bitmaps: Bitmaps;
  readonly #effects: SeenEffects;

  constructor({ rowWords }: DensePlan, bitmaps: Bitmaps, effects: SeenEffects) {
    this.rowWords = rowWords;
    this.known = bitmaps.known;
    this.next = bitmaps.levels[1];
    this.marks = bitmaps.marks[1];
    this.#bitmaps = bitmaps;
    this.#effects = effects;
  }

  turn(level: number): void {
    this.next = this.#bitmaps.levels[(level + 1) & 1] as Int32Array;
    this.marks = this.#bitmaps.marks[(level + 1) & 1] as Uint8Array;
  }

  move(mask: Mask, row: number): void {
    const { known, next } = this;
    const start = row * this.rowWords;
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
    if (found > 0) this.note(row, found);
  }

  map(mask: Mask, row: number, image: Int32Array): void {
    const { known, next } = this;
    const start = row * this.rowWords;
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
    if (found > 0) this.note(row, found);
  }

  one(_from: number, row: number, to: number): void {
    const at = row * this.rowWords + (to >> 5);
    const old = this.known[at] as number;
    const bit = 1 << (to & 31);
    if ((old & bit) !== 0) return;
    this.known[at] = old | bit;
    this.next[at] = (this.next[at] as number) | bit;
    this.note(row, 1);
  }

  effect(effect: number, pick: number): void {
    this.#effects.see(effect, pick, this.locals);
  }

  protected note(row: number, found: number): void {
    this.marks[row] = 1;
    this.found += found;
  }
}

/** The same in shared memory. Known states stay known, so a look without ceremony tells what need not be set. */
class SharedLevelSink extends LevelSink {
  override move(mask: Mask, row: number): void {
    const start = row * this.rowWords;
    let found = 0;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      found += this.#set(start + word, mask.bits[word] as number);
    }
    if (found > 0) this.note(row, found);
  }

  override map(mask: Mask, row: number, image: Int32Array): void {
    const start = row * this.rowWords;
    let found = 0;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = mask.bits[word] as number; bits !== 0; bits &= bits - 1) {
        const to = image[(word << 5) + lowest(bits)] as number;
        if (to >= 0) found += this.#set(start + (to >> 5), 1 << (to & 31));
      }
    }
    if (found > 0) this.note(row, found);
  }

  override one(_from: number, row: number, to: number): void {
    if (this.#set(row * this.rowWords + (to >> 5), 1 << (to & 31)) > 0) this.note(row, 1);
  }

  /** @returns how many of the bits this thread has set */
  #set(at: number, bits: number): number {
    const { known } = this;
    if ((bits & ~(known[at] as number)) === 0) return 0;
    const fresh = bits & ~Atomics.or(known, at, bits);
    if (fresh === 0) return 0;
    Atomics.or(this.next, at, fresh);
    return ones(fresh);
  }
}
