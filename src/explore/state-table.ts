/**
 * Every state that has been found, in the order in which it was found, each once.
 *
 * The states' words and their parents lie in chunks that are only ever added to. A hash table tells whether a state is
 * known; it compares whole states, so nothing is ever lost to a collision. It can be made anew from the states alone, so
 * it grows without a copy, and a little at a time.
 *
 * While states of one word are being added, the table is a set of words (`word-set.ts`). For states of more words, and
 * once somebody asks for the number of a state, it is a table of numbers: a slot is 0 when free, else a state's number
 * plus one in the low 28 bits and four bits of its hash above, which spare the look at the state itself in 15 of 16
 * mismatches.
 *
 * Memory answers many questions at once far sooner than one after the other. So states are added in batches, and a
 * batch is gone through in short loops, each of which only asks or only answers: first the slots are read, then the
 * states that they point to, and what is new is added at the end.
 */
import type { KnownStates } from './known-states.ts';
import { type Layout, repack } from './layout.ts';
import { WordSet } from './word-set.ts';

const chunkBits = 16;
const chunkMask = (1 << chunkBits) - 1;
const numberMask = 0x0fffffff;
const tagMask = ~numberMask;
const firstSlots = 1 << 10;

/** States that are entered into a new table together. */
const enterTogether = 512;

/** A table that is fuller than this is made anew, twice as long. */
const loadMax = 0.75;

/** One search cannot hold more states than this. */
export const statesLimit = numberMask - 1;

/** The states of a search. */
export class StateTable implements KnownStates {
  /** 32-bit words in a state. */
  words: number;
  /** How many states there are. */
  count = 0;
  /** The states' words: state `n` is in chunk `n >> chunkBits`. */
  readonly #chunks: Int32Array[] = [];
  readonly #parents: Int32Array[] = [];
  #slots = new Int32Array(firstSlots);
  /** The states, while they are one word each and nobody has asked for a number. */
  #set: WordSet | undefined;
  /** Of the batch at hand: hashes, */
  #hashes = new Int32Array(0);
  /** what is in the slots where the searches begin, and later the places of the states that are new, */
  #slotOf = new Int32Array(0);
  /** and the numbers of the states that may be the same, or -1. */
  #known = new Int32Array(0);
  /** Of no meaning: keeps reads that only warm the cache from being optimised away. */
  warmed = 0;

  constructor(words: number) {
    this.words = words;
    if (words === 1) this.#set = new WordSet();
  }

  /** The bytes that the table holds. */
  get bytes(): number {
    return (
      (this.#set?.bytes ?? this.#slots.byteLength) +
      this.#chunks.length * (chunkMask + 1) * 4 * (this.words + 1)
    );
  }

  /** The chunk that a state's words lie in. */
  chunk(state: number): Int32Array {
    return this.#chunks[state >> chunkBits] as Int32Array;
  }

  /** Where in its chunk a state begins. */
  offset(state: number): number {
    return (state & chunkMask) * this.words;
  }

  /** The state from which a state was first found; the first state's is itself. */
  parent(state: number): number {
    return this.#parents[state >> chunkBits]?.[state & chunkMask] as number;
  }

  /** The number of the state at a place in an array of words, or -1. */
  find(source: Int32Array, at: number): number {
    if (this.#set !== undefined) for (const _ of this.index());
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = this.#hash(source, at);
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const slot = slots[place] as number;
      if (slot === 0) return -1;
      const known = (slot & numberMask) - 1;
      if (((slot ^ hash) & tagMask) === 0 && this.#same(known, source, at)) return known;
    }
  }

  /**
   * Prepares to tell states' numbers; {@link StateTable.find} does so too, but in one piece. A generator: it pauses after
   * each chunk.
   */
  *index(): Generator<void> {
    if (this.#set === undefined) return;
    const { slots } = this.#set;
    this.#set.free();
    this.#set = undefined;
    yield* this.#makeSlots(slots);
  }

  /** Copies a state's words. */
  read(state: number, into: Int32Array, at: number): void {
    const chunk = this.chunk(state);
    const start = this.offset(state);
    for (let word = 0; word < this.words; word += 1) into[at + word] = chunk[start + word] as number;
  }

  /**
   * Makes room for more states, if need be. A generator: it pauses after each chunk. If it is given up, no state can be
   * found any more, but all can be read.
   */
  *reserve(more: number): Generator<void> {
    const slots = this.#set?.slots ?? this.#slots.length;
    if (this.count + more <= slots * loadMax) return;
    let length = slots * 2;
    while (this.count + more > length * loadMax) length *= 2;
    yield* this.#makeSlots(length);
  }

  /**
   * Adds those of a batch of states that are not known. There must be room for them.
   *
   * @param batch - the states' words, one after another
   * @param count - how many states
   * @param parents - for each, the state that it comes from
   * @param statesMax - the table is not to grow beyond this
   * @returns whether all of them are in the table now; those that are new have the highest numbers, in order
   */
  addBatch(batch: Int32Array, count: number, parents: Int32Array, statesMax: number): boolean {
    if (this.#set !== undefined) return this.#addWords(this.#set, batch, count, parents, statesMax);
    const fresh = this.#lookUp(batch, count);
    const { words } = this;
    for (let place = 0; place < fresh; place += 1) {
      const each = this.#slotOf[place] as number;
      if (!this.#add(batch, each * words, this.#hashes[each] as number, parents[each] as number, statesMax))
        return false;
    }
    return true;
  }

  /** Finds the numbers of a batch of states, or -1. */
  findBatch(batch: Int32Array, count: number, numbers: Int32Array): void {
    if (this.#set !== undefined) for (const _ of this.index());
    const unsure = this.#lookUp(batch, count);
    for (let each = 0; each < count; each += 1) numbers[each] = this.#known[each] as number;
    for (let place = 0; place < unsure; place += 1) {
      const each = this.#slotOf[place] as number;
      numbers[each] = this.find(batch, each * this.words);
    }
  }

  /**
   * Packs all states anew. A generator: it pauses after each chunk. Until `onPacked` is called the states are as they
   * were, so that the work can be given up at any pause.
   */
  *repack(from: Layout, to: Layout, onPacked: () => void): Generator<void> {
    const packed: Int32Array[] = [];
    for (const [index, old] of this.#chunks.entries()) {
      const fresh = new Int32Array((chunkMask + 1) * to.words);
      repack(old, from, fresh, to, Math.min(chunkMask + 1, this.count - (index << chunkBits)));
      packed.push(fresh);
      yield;
    }
    for (const [index, fresh] of packed.entries()) this.#chunks[index] = fresh;
    this.words = to.words;
    const slots = this.#set?.slots ?? this.#slots.length;
    this.#set = to.words === 1 ? new WordSet() : undefined;
    onPacked();
    yield* this.#makeSlots(slots);
  }

  /** Adds states of one word each. */
  #addWords(set: WordSet, batch: Int32Array, count: number, parents: Int32Array, statesMax: number): boolean {
    for (let from = 0; from < count; from = set.reached) {
      const fresh = set.add(batch, from, count, statesMax - this.count);
      for (let place = 0; place < fresh; place += 1) {
        const each = set.fresh[place] as number;
        this.#store(batch, each, parents[each] as number);
      }
      if (set.reached === count) break;
      if (!set.full) return false;
      for (const _ of this.#makeSlots(set.slots * 2));
    }
    return true;
  }

  #hash(source: Int32Array, at: number): number {
    const { words } = this;
    let hash = Math.imul(source[at] as number, 0x9e3779b1);
    hash ^= hash >>> 15;
    // Two words are the usual case, and a loop for them costs more than all the rest.
    if (words > 1) hash = Math.imul(hash ^ (source[at + 1] as number), 0x85ebca77);
    for (let word = 2; word < words; word += 1) {
      hash ^= hash >>> 15;
      hash = Math.imul(hash ^ (source[at + word] as number), 0x9e3779b1);
    }
    hash ^= hash >>> 13;
    hash = Math.imul(hash, 0xc2b2ae3d);
    return hash ^ (hash >>> 16);
  }

  /**
   * Looks a batch of states up. Afterwards `#known` holds their numbers, but for those whose places are at the front of
   * `#slotOf`: they are new, or lie further on.
   *
   * @returns how many those are
   */
  #lookUp(batch: Int32Array, count: number): number {
    this.#makeRoom(count);
    this.#hashAll(batch, count);
    this.#readSlots(count);
    this.#followSlots(count);
    this.#warmStates(count);
    return this.#compare(batch, count);
  }

  #makeRoom(count: number): void {
    if (this.#hashes.length >= count) return;
    this.#hashes = new Int32Array(count * 2);
    this.#slotOf = new Int32Array(count * 2);
    this.#known = new Int32Array(count * 2);
  }

  #hashAll(batch: Int32Array, count: number): void {
    const hashes = this.#hashes;
    const { words } = this;
    for (let each = 0; each < count; each += 1) hashes[each] = this.#hash(batch, each * words);
  }

  #readSlots(count: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hashes = this.#hashes;
    const slotOf = this.#slotOf;
    for (let each = 0; each < count; each += 1)
      slotOf[each] = slots[(hashes[each] as number) & mask] as number;
  }

  #followSlots(count: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hashes = this.#hashes;
    const known = this.#known;
    for (let each = 0; each < count; each += 1) {
      const hash = hashes[each] as number;
      let slot = this.#slotOf[each] as number;
      for (let place = hash & mask; slot !== 0 && ((slot ^ hash) & tagMask) !== 0; ) {
        place = (place + 1) & mask;
        slot = slots[place] as number;
      }
      known[each] = (slot & numberMask) - 1;
    }
  }

  #warmStates(count: number): void {
    const { words } = this;
    const chunks = this.#chunks;
    const known = this.#known;
    let warmed = 0;
    for (let each = 0; each < count; each += 1) {
      const state = known[each] as number;
      if (state >= 0)
        warmed ^= (chunks[state >> chunkBits] as Int32Array)[(state & chunkMask) * words] as number;
    }
    this.warmed = warmed;
  }

  /** Leaves the places of those that are new, or not yet known to be old, in `#slotOf`. */
  #compare(batch: Int32Array, count: number): number {
    const { words } = this;
    const chunks = this.#chunks;
    const known = this.#known;
    let fresh = 0;
    for (let each = 0; each < count; each += 1) {
      const state = known[each] as number;
      if (state >= 0) {
        const chunk = chunks[state >> chunkBits] as Int32Array;
        const start = (state & chunkMask) * words;
        const at = each * words;
        if (chunk[start] === batch[at] && (words < 2 || chunk[start + 1] === batch[at + 1])) {
          let word = 2;
          while (word < words && chunk[start + word] === batch[at + word]) word += 1;
          if (word >= words) continue;
        }
      }
      this.#slotOf[fresh] = each;
      fresh += 1;
    }
    return fresh;
  }

  /** Adds a state unless it is known. @returns whether it is there now */
  #add(source: Int32Array, at: number, hash: number, parent: number, statesMax: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let place = hash & mask;
    for (;;) {
      const slot = slots[place] as number;
      if (slot === 0) break;
      if (((slot ^ hash) & tagMask) === 0 && this.#same((slot & numberMask) - 1, source, at)) return true;
      place = (place + 1) & mask;
    }
    if (this.count >= statesMax) return false;
    slots[place] = (hash & tagMask) | (this.count + 1);
    this.#store(source, at, parent);
    return true;
  }

  #same(state: number, source: Int32Array, at: number): boolean {
    const { words } = this;
    const chunk = this.#chunks[state >> chunkBits] as Int32Array;
    const start = (state & chunkMask) * words;
    for (let word = 0; word < words; word += 1) if (chunk[start + word] !== source[at + word]) return false;
    return true;
  }

  #store(source: Int32Array, at: number, parent: number): void {
    const { words, count } = this;
    const place = count & chunkMask;
    if (place === 0) {
      this.#chunks.push(new Int32Array((chunkMask + 1) * words));
      this.#parents.push(new Int32Array(chunkMask + 1));
    }
    const chunk = this.#chunks[count >> chunkBits] as Int32Array;
    for (let word = 0; word < words; word += 1) chunk[place * words + word] = source[at + word] as number;
    (this.#parents[count >> chunkBits] as Int32Array)[place] = parent;
    this.count = count + 1;
  }

  *#makeSlots(length: number): Generator<void> {
    if (this.#set !== undefined) {
      yield* this.#makeSet(this.#set, length);
      return;
    }
    this.#slots = new Int32Array(0); // So that the old table is free before the new one is asked for.
    const slots = new Int32Array(length);
    for (let chunk = 0; chunk < this.#chunks.length; chunk += 1) {
      this.#enterChunk(slots, chunk);
      yield;
    }
    this.#slots = slots;
  }

  *#makeSet(set: WordSet, length: number): Generator<void> {
    set.reset(length);
    for (const [index, chunk] of this.#chunks.entries()) {
      const count = Math.min(chunkMask + 1, this.count - (index << chunkBits));
      if (!set.enter(chunk, count)) {
        yield* this.#makeSet(set, length * 2);
        return;
      }
      yield;
    }
  }

  #enterChunk(slots: Int32Array, index: number): void {
    const last = Math.min(chunkMask + 1, this.count - (index << chunkBits));
    for (let from = 0; from < last; from += enterTogether) {
      this.#enterSome(slots, index, from, Math.min(last, from + enterTogether));
    }
  }

  #enterSome(slots: Int32Array, index: number, from: number, to: number): void {
    const { words } = this;
    const chunk = this.#chunks[index] as Int32Array;
    const mask = slots.length - 1;
    this.#makeRoom(enterTogether);
    const hashes = this.#hashes;
    let warmed = 0;
    for (let state = from; state < to; state += 1) {
      const hash = this.#hash(chunk, state * words);
      hashes[state - from] = hash;
      warmed ^= slots[hash & mask] as number;
    }
    this.warmed = warmed;
    const first = (index << chunkBits) + 1;
    for (let state = from; state < to; state += 1) {
      const hash = hashes[state - from] as number;
      const slot = (hash & tagMask) | (first + state);
      let place = hash & mask;
      while (slots[place] !== 0) place = (place + 1) & mask;
      slots[place] = slot;
    }
  }
}
