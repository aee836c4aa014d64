/**
 * A set of 32-bit words that answers with one look into memory.
 *
 * The hash function is one-to-one, so a word is known by its hash. In a small table a slot holds the word, plus one. In
 * a table of 2^24 slots and more half of that is enough: the place where the search for a word begins gives the low bits
 * of its hash, so a slot of 16 bits holds the others, and how many looks it is away from there. Nothing is guessed: two
 * words never have the same slot and the same value.
 *
 * Many words are asked for again a moment later; a small table that stays in the processor's cache catches those.
 */

/** Words that were asked for a moment ago. */
const recentBits = 15;

/** From so many slots on, 16 bits are enough for the rest of a hash and the number of looks. */
const quotientsFrom = 24;

/** A word is at most so many looks away from its place, or the table has to grow. */
const looksMax = 255;

/** Words that are entered into a new table together. */
const together = 512;

const firstBits = 10;

/** The words are one-to-one with these. */
function hashOf(word: number): number {
  let hash = Math.imul(word, 0x9e3779b1);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x85ebca77);
  return hash ^ (hash >>> 13);
}

/** A set of words that only grows. */
export class WordSet {
  /** The places in the last batch of the words that were new. */
  fresh = new Int32Array(0);
  /** The place in the last batch that was not reached; its end, if all was. */
  reached = 0;
  /** What was not reached needs a longer table; otherwise there were too many new words. */
  full = false;
  /** Of no meaning: keeps reads that only warm the cache from being optimised away. */
  warmed = 0;
  #bits = firstBits;
  /** Words plus one; empty once there are quotients. */
  #slots = new Int32Array(1 << firstBits);
  #quotients = new Uint16Array(0);
  /** The word whose slot would look free is in the set. */
  #hasAllOnes = false;
  /** By the high bits of their hashes, words that are in the set. */
  readonly #recent = new Int32Array(1 << recentBits);
  #isEmpty = true;
  #hashes = new Int32Array(0);

  /** How many slots there are. */
  get slots(): number {
    return 2 ** this.#bits;
  }

  /** The bytes of the slots. */
  get bytes(): number {
    return this.#slots.byteLength + this.#quotients.byteLength;
  }

  /**
   * Adds words of a batch. There must be free slots enough.
   *
   * @param from - the first word's place in the batch
   * @param to - the last one's, and one
   * @param freshMax - no more new ones are added than this
   * @returns how many were new; {@link WordSet.fresh} has their places, and {@link WordSet.reached} tells how far it came
   */
  add(batch: Int32Array, from: number, to: number, freshMax: number): number {
    this.#makeRoom(to - from);
    if (this.#isEmpty && to > from) this.#addFirst(batch[from] as number);
    this.reached = to;
    this.full = false;
    const unsure = this.#passRecent(batch, from, to);
    return this.#bits < quotientsFrom
      ? this.#addWords(batch, unsure, freshMax)
      : this.#addQuotients(unsure, freshMax);
  }

  /** Empties the set and takes a number of slots, as a power of two. */
  reset(slots: number): void {
    this.#slots = new Int32Array(0); // So that the old table is free before the new one is asked for.
    this.#quotients = new Uint16Array(0);
    this.#bits = Math.log2(slots);
    if (this.#bits < quotientsFrom) this.#slots = new Int32Array(slots);
    else this.#quotients = new Uint16Array(slots);
    this.#hasAllOnes = false;
    this.#isEmpty = true;
  }

  /** Gives the memory back. */
  free(): void {
    this.#slots = new Int32Array(0);
    this.#quotients = new Uint16Array(0);
  }

  /** Enters words that are all different, after {@link WordSet.reset}. @returns false if the table has to grow first */
  enter(words: Int32Array, count: number): boolean {
    this.#makeRoom(together);
    if (this.#isEmpty && count > 0) {
      this.#recent.fill(words[0] as number);
      this.#isEmpty = false;
    }
    for (let from = 0; from < count; from += together) {
      if (!this.#enterSome(words, from, Math.min(count, from + together))) return false;
    }
    return true;
  }

  #makeRoom(count: number): void {
    if (this.#hashes.length >= count) return;
    this.#hashes = new Int32Array(count * 2);
    this.fresh = new Int32Array(count * 2);
  }

  /** What stands among the words of a moment ago is passed over, so until there are any it must be what cannot be met there. */
  #addFirst(first: number): void {
    const own = hashOf(first) >>> (32 - recentBits);
    let elsewhere = first;
    while (hashOf(elsewhere) >>> (32 - recentBits) === own) elsewhere += 1;
    this.#recent.fill(first);
    this.#recent[own] = elsewhere;
    this.#isEmpty = false;
  }

  /** Leaves the places of the words that were not asked for a moment ago in `fresh`, and their hashes beside them. */
  #passRecent(batch: Int32Array, from: number, to: number): number {
    const recent = this.#recent;
    const hashes = this.#hashes;
    const { fresh } = this;
    let unsure = 0;
    for (let each = from; each < to; each += 1) {
      const word = batch[each] as number;
      const hash = hashOf(word);
      const place = hash >>> (32 - recentBits);
      if (recent[place] === word) continue;
      recent[place] = word;
      hashes[unsure] = hash;
      fresh[unsure] = each;
      unsure += 1;
    }
    return unsure;
  }

  #addWords(batch: Int32Array, unsure: number, freshMax: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hashes = this.#hashes;
    const { fresh } = this;
    this.#touchWords(unsure);
    let count = 0;
    for (let place = 0; place < unsure; place += 1) {
      const each = fresh[place] as number;
      const key = ((batch[each] as number) + 1) | 0;
      if (key === 0) {
        if (this.#hasAllOnes) continue;
        if (count >= freshMax) return this.#stop(each, count);
        this.#hasAllOnes = true;
      } else {
        let at = (hashes[place] as number) & mask;
        let slot = slots[at] as number;
        for (let looks = 1; slot !== key && slot !== 0; looks += 1) {
          at = (at + looks) & mask;
          slot = slots[at] as number;
        }
        if (slot === key) continue;
        if (count >= freshMax) return this.#stop(each, count);
        slots[at] = key;
      }
      fresh[count] = each;
      count += 1;
    }
    return count;
  }

  #addQuotients(unsure: number, freshMax: number): number {
    const slots = this.#quotients;
    const mask = slots.length - 1;
    const hashes = this.#hashes;
    const bits = this.#bits;
    const { fresh } = this;
    this.#touchQuotients(unsure);
    let count = 0;
    for (let place = 0; place < unsure; place += 1) {
      const hash = hashes[place] as number;
      let at = hash & mask;
      let value = ((hash >>> bits) << 8) | 1;
      let slot = slots[at] as number;
      while (slot !== value && slot !== 0) {
        at = (at + (value & looksMax)) & mask;
        value += 1;
        if ((value & looksMax) === 0) break;
        slot = slots[at] as number;
      }
      if (slot === value) continue;
      this.full = (value & looksMax) === 0;
      if (this.full || count >= freshMax) return this.#stop(fresh[place] as number, count);
      slots[at] = value;
      fresh[count] = fresh[place] as number;
      count += 1;
    }
    return count;
  }

  #stop(each: number, count: number): number {
    this.reached = each;
    return count;
  }

  /** Reads the slots where the searches begin, so that the processor fetches them side by side. */
  #touchWords(unsure: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hashes = this.#hashes;
    let warmed = 0;
    for (let place = 0; place < unsure; place += 1)
      warmed ^= slots[(hashes[place] as number) & mask] as number;
    this.warmed = warmed;
  }

  #touchQuotients(unsure: number): void {
    const slots = this.#quotients;
    const mask = slots.length - 1;
    const hashes = this.#hashes;
    let warmed = 0;
    for (let place = 0; place < unsure; place += 1)
      warmed ^= slots[(hashes[place] as number) & mask] as number;
    this.warmed = warmed;
  }

  #enterSome(words: Int32Array, from: number, to: number): boolean {
    const hashes = this.#hashes;
    for (let each = from; each < to; each += 1) hashes[each - from] = hashOf(words[each] as number);
    return this.#bits < quotientsFrom ? this.#enterWords(words, from, to) : this.#enterQuotients(to - from);
  }

  #enterWords(words: Int32Array, from: number, to: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hashes = this.#hashes;
    this.#touchWords(to - from);
    for (let each = from; each < to; each += 1) {
      const key = ((words[each] as number) + 1) | 0;
      if (key === 0) {
        this.#hasAllOnes = true;
        continue;
      }
      let at = (hashes[each - from] as number) & mask;
      for (let looks = 1; slots[at] !== 0; looks += 1) at = (at + looks) & mask;
      slots[at] = key;
    }
    return true;
  }

  #enterQuotients(count: number): boolean {
    const slots = this.#quotients;
    const mask = slots.length - 1;
    const hashes = this.#hashes;
    const bits = this.#bits;
    this.#touchQuotients(count);
    for (let place = 0; place < count; place += 1) {
      const hash = hashes[place] as number;
      let at = hash & mask;
      let value = ((hash >>> bits) << 8) | 1;
      while (slots[at] !== 0) {
        at = (at + (value & looksMax)) & mask;
        value += 1;
        if ((value & looksMax) === 0) return false;
      }
      slots[at] = value;
    }
    return true;
  }
}
