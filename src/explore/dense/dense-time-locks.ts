/** Time-locks in a dense search, in the same way as in one that hashes: see `time-locks.ts`. Whole rows at a time. */
import { lowest, ones } from '../bits.ts';
import type { DenseSearch } from './dense-search.ts';
import type { Mask, RowSink } from './row-expander.ts';

/** Rows looked at between two pauses. */
const pauseEvery = 64;

/** Finds the states of a row that have a step into a free state. */
class FreedomSink implements RowSink {
  /** Those states. */
  readonly freed: Int32Array;
  readonly #free: Int32Array;
  readonly #rowWords: number;

  constructor(free: Int32Array, rowWords: number) {
    this.#free = free;
    this.#rowWords = rowWords;
    this.freed = new Int32Array(rowWords);
  }

  move(mask: Mask, row: number): void {
    const start = row * this.#rowWords;
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      const free = (mask.bits[word] as number) & (this.#free[start + word] as number);
      this.freed[word] = (this.freed[word] as number) | free;
    }
  }

  map(mask: Mask, row: number, image: Int32Array): void {
    for (let place = 0; place < mask.count; place += 1) {
      const word = mask.words[place] as number;
      for (let bits = mask.bits[word] as number; bits !== 0; bits &= bits - 1) {
        const local = (word << 5) + lowest(bits);
        const to = image[local] as number;
        if (to >= 0) this.one(local, row, to);
      }
    }
  }

  one(from: number, row: number, to: number): void {
    const word = this.#free[row * this.#rowWords + (to >> 5)] as number;
    if (((word >>> (to & 31)) & 1) === 0) return;
    this.freed[from >> 5] = (this.freed[from >> 5] as number) | (1 << (from & 31));
  }

  effect(): void {}
}

/** Counts the time-locks of a dense search that is complete. A generator that pauses often. */
export function* countDenseTimeLocks(search: DenseSearch): Generator<void, number> {
  if (!search.hasTimers) return 0;
  const { plan, free, known, rows } = search;
  const { rowWords } = plan;
  const sink = new FreedomSink(free, rowWords);
  const bound = new Int32Array(rowWords);
  rows.sink = sink;
  /** Loads the states of a row that are not known to be free. */
  const load = (row: number): boolean => {
    const start = row * rowWords;
    let any = 0;
    for (let word = 0; word < rowWords; word += 1) {
      bound[word] = (known[start + word] as number) & ~(free[start + word] as number);
      any |= bound[word] as number;
    }
    return any !== 0 && rows.load(bound, 0);
  };
  for (let downwards = true, changed = true; changed; downwards = !downwards) {
    changed = false;
    for (let step = 0, worked = 0; step < plan.rows; step += 1) {
      const row = downwards ? plan.rows - 1 - step : step;
      // Freedom may go round within a row.
      while (load(row)) {
        sink.freed.fill(0);
        rows.expand(row);
        worked += 1;
        if (worked % pauseEvery === 0) yield;
        if (!spread(free, sink.freed, row * rowWords)) break;
        changed = true;
      }
    }
  }
  let count = 0;
  for (let row = 0; row < plan.rows; row += 1) {
    if (!load(row)) continue;
    rows.expand(row);
    for (let place = 0; place < rows.frontier.count; place += 1) {
      count += ones(rows.timed[rows.frontier.words[place] as number] as number);
    }
    if (row % pauseEvery === 0) yield;
  }
  return count;
}

/** @returns whether any state of the row became free */
function spread(free: Int32Array, freed: Int32Array, start: number): boolean {
  let any = 0;
  for (const [word, bits] of freed.entries()) {
    const fresh = bits & ~(free[start + word] as number);
    any |= fresh;
    free[start + word] = (free[start + word] as number) | fresh;
  }
  return any !== 0;
}
