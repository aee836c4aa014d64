/**
 * The states of a dense search, numbered without gaps in the order of their places. A state's number is how many known
 * states come before it; counts for every few words make that a short sum, and the way back a short search.
 */
import { hasBit, lowest, ones } from '../bits.ts';
import type { Expander } from '../expander.ts';
import type { KnownStates } from '../known-states.ts';
import type { DensePlan } from './plan.ts';

const blockBits = 3;
const blockWords = 1 << blockBits;

/** Numbers for the set bits of a bitmap. */
export class RankedStates implements KnownStates {
  readonly words: number;
  readonly count: number;
  readonly #known: Int32Array;
  readonly #plan: DensePlan;
  readonly #expander: Expander;
  /** For each block of words: how many states come before it. */
  readonly #before: Uint32Array;
  readonly #packed: Int32Array;
  readonly #locals: Int32Array;
  /** The state that was last asked for, and its place: the next one is mostly the next. */
  #lastState = -1;
  #lastPlace = 0;

  constructor(known: Int32Array, plan: DensePlan, expander: Expander) {
    this.#known = known;
    this.#plan = plan;
    this.#expander = expander;
    this.words = expander.layout.words;
    this.#packed = new Int32Array(this.words);
    this.#locals = new Int32Array(plan.sizes.length);
    const blocks = (known.length + blockWords - 1) >> blockBits;
    this.#before = new Uint32Array(blocks + 1);
    let count = 0;
    for (let block = 0; block < blocks; block += 1) {
      this.#before[block] = count;
      const end = Math.min(known.length, (block + 1) << blockBits);
      for (let word = block << blockBits; word < end; word += 1) count += ones(known[word] as number);
    }
    this.#before[blocks] = count;
    this.count = count;
  }

  get bytes(): number {
    return this.#known.byteLength + this.#before.byteLength;
  }

  chunk(state: number): Int32Array {
    const place = this.#place(state);
    const { rowWords, sizes, strides, inner } = this.#plan;
    const row = Math.floor(place / (rowWords * 32));
    for (let component = 0; component < sizes.length; component += 1) {
      this.#locals[component] =
        component === inner
          ? place - row * rowWords * 32
          : Math.floor(row / (strides[component] as number)) % (sizes[component] as number);
    }
    this.#expander.pack(this.#locals, this.#packed, 0);
    return this.#packed;
  }

  offset(_state: number): number {
    return 0;
  }

  find(source: Int32Array, at: number): number {
    const { rowWords, strides, inner } = this.#plan;
    this.#expander.unpack(source, at, this.#locals);
    let row = 0;
    for (let component = 0; component < strides.length; component += 1) {
      row += (this.#locals[component] as number) * (strides[component] as number);
    }
    const local = this.#locals[inner] as number;
    const word = row * rowWords + (local >> 5);
    const bits = this.#known[word] as number;
    const bit = 1 << (local & 31);
    return (bits & bit) === 0 ? -1 : this.#rank(word) + ones(bits & (bit - 1));
  }

  findBatch(batch: Int32Array, count: number, numbers: Int32Array): void {
    for (let each = 0; each < count; each += 1) numbers[each] = this.find(batch, each * this.words);
  }

  /** How many states come before a word. */
  #rank(word: number): number {
    let before = this.#before[word >> blockBits] as number;
    for (let each = (word >> blockBits) << blockBits; each < word; each += 1) {
      before += ones(this.#known[each] as number);
    }
    return before;
  }

  #place(state: number): number {
    if (state !== this.#lastState) {
      this.#lastPlace = state === this.#lastState + 1 ? this.#nextPlace() : this.#select(state);
      this.#lastState = state;
    }
    return this.#lastPlace;
  }

  #nextPlace(): number {
    const known = this.#known;
    let place = this.#lastState < 0 ? 0 : this.#lastPlace + 1;
    while (!hasAt(known, place)) {
      const word = Math.floor(place / 32);
      const rest = (known[word] as number) & (-1 << (place % 32));
      place = rest === 0 ? (word + 1) * 32 : word * 32 + lowest(rest);
    }
    return place;
  }

  #select(state: number): number {
    const before = this.#before;
    let low = 0;
    let high = before.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((before[middle] as number) <= state) low = middle;
      else high = middle;
    }
    let left = state - (before[low] as number);
    let word = low << blockBits;
    for (;;) {
      const here = ones(this.#known[word] as number);
      if (left < here) break;
      left -= here;
      word += 1;
    }
    let bits = this.#known[word] as number;
    for (; left > 0; left -= 1) bits &= bits - 1;
    return word * 32 + lowest(bits);
  }
}

function hasAt(known: Int32Array, place: number): boolean {
  return place < 2 ** 31
    ? hasBit(known, place)
    : (((known[Math.floor(place / 32)] as number) >>> (place % 32)) & 1) === 1;
}
