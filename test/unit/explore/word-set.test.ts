import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WordSet } from '../../../src/explore/word-set.ts';

/** The number that a product with `odd` is undone by. */
function inverse(odd: number): number {
  let found = odd;
  for (let round = 0; round < 5; round += 1) found = Math.imul(found, 2 - Math.imul(odd, found));
  return found;
}

/** The word whose hash this is: the hash function backwards. */
function wordOf(hash: number): number {
  let word = hash ^ (hash >>> 13) ^ (hash >>> 26);
  word = Math.imul(word, inverse(0x85ebca77));
  word = word ^ (word >>> 15) ^ (word >>> 30);
  return Math.imul(word, inverse(0x9e3779b1));
}

/** Adds batches as a search does: grows when there is need. */
function addAll(set: WordSet, batches: readonly (readonly number[])[], slots: number): number[] {
  set.reset(slots);
  const found: number[] = [];
  for (const batch of batches) {
    const words = Int32Array.from(batch);
    for (let from = 0; from < words.length; from = set.reached) {
      const fresh = set.add(words, from, words.length, Number.POSITIVE_INFINITY);
      for (let place = 0; place < fresh; place += 1) found.push(words[set.fresh[place] as number] as number);
      if (set.reached === words.length) break;
      expect(set.full).toBe(true);
      set.reset(set.slots * 2);
      expect(set.enter(Int32Array.from(found), found.length)).toBe(true);
    }
  }
  return found;
}

const anyWord = fc.oneof(
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.integer({ min: -3, max: 40 }),
  // The same place in a table of 2^24 slots.
  fc.integer({ min: 0, max: 255 }).map((high) => wordOf((high << 24) | 5)),
);
const batches = fc.array(fc.array(anyWord, { maxLength: 60 }), { maxLength: 8 });

describe('a set of words', () => {
  it.each([
    ['words', 1 << 10, 300],
    ['quotients', 1 << 24, 25],
  ] as const)(
    'of %s finds each word once, in order',
    (_, slots, numRuns) => {
      const set = new WordSet();
      fc.assert(
        fc.property(batches, (drawn) => {
          expect(addAll(set, drawn, slots)).toEqual([...new Set(drawn.flat().map((word) => word | 0))]);
        }),
        { numRuns },
      );
    },
    60_000,
  );

  it('grows when a word would be too many looks away from its place', () => {
    const crowd = Array.from({ length: 256 }, (_, high) => wordOf((high << 24) | 7));
    const set = new WordSet();
    expect(addAll(set, [crowd, crowd], 1 << 24)).toEqual(crowd);
    expect(set.slots).toBe(1 << 25);
  });

  it('adds no more than it may', () => {
    const set = new WordSet();
    expect(set.add(Int32Array.of(1, 2, 1, 3, 4), 0, 5, 3)).toBe(3);
    expect([set.reached, set.full]).toEqual([4, false]);
  });

  it.each([
    ['words', 1 << 10],
    ['quotients', 1 << 24],
  ])('of %s tells where in the batch its new words are', (_, slots) => {
    const set = new WordSet();
    set.reset(slots);
    const batch = Int32Array.of(9, 0, -1, 0, 5, -1, 6, 9);
    const freshOf = (words: Int32Array, from: number, to: number, max: number): number[] => {
      const count = set.add(words, from, to, max);
      return [...set.fresh.subarray(0, count)];
    };
    expect(freshOf(batch, 1, 1, 9)).toEqual([]);
    expect(freshOf(batch, 1, 5, 9)).toEqual([1, 2, 4]);
    expect([set.reached, set.full]).toEqual([5, false]);
    expect(freshOf(batch, 0, 8, 1)).toEqual([0]);
    expect([set.reached, set.full]).toEqual([6, false]);
    expect(freshOf(Int32Array.of(7, 7, 7), 0, 3, 1)).toEqual([0]);
    expect([set.reached, set.full]).toEqual([3, false]);
  });

  it.each([
    [-1, 1 << 10],
    [0, 1 << 10],
    [-1, 1 << 24],
    [0, 1 << 24],
  ])('takes %i for new once after each reset to %i slots', (word, slots) => {
    const set = new WordSet();
    const batch = Int32Array.of(word, 3, word);
    const none = Int32Array.of(word);
    for (let round = 0; round < 2; round += 1) {
      set.reset(slots);
      expect(set.add(none, 0, 1, 0)).toBe(0);
      expect(set.reached).toBe(0);
      set.reset(slots);
      expect([set.add(batch, 0, 3, 9), set.add(batch, 0, 3, 9)]).toEqual([2, 0]);
      set.reset(slots);
      expect(set.enter(batch, 0)).toBe(true);
      expect(set.add(batch, 0, 3, 9)).toBe(2);
    }
  });

  it.each([
    ['words', 1 << 12],
    ['quotients', 1 << 24],
  ])('of %s knows what was entered', (_, slots) => {
    const words = Int32Array.from({ length: 1500 }, (_, place) => 1297 * 3 - place * 3 - 1);
    const set = new WordSet();
    set.add(Int32Array.of(1, 4), 0, 2, 9);
    set.reset(slots);
    expect(set.enter(words, 1300)).toBe(true);
    expect(set.add(words, 0, 1500, 1500)).toBe(200);
    expect([...set.fresh.subarray(0, 200)]).toEqual(Array.from({ length: 200 }, (_, place) => 1300 + place));
    expect(
      set.add(
        words.map((word) => word + 1),
        0,
        1500,
        1500,
      ),
    ).toBe(1500);
  });

  it('cannot enter what would be too many looks away from its place', () => {
    const crowd = Int32Array.from({ length: 256 }, (_, high) => wordOf((high << 24) | 9));
    const set = new WordSet();
    set.reset(1 << 24);
    expect(set.enter(crowd, 255)).toBe(true);
    expect(set.add(crowd, 0, 255, 255)).toBe(0);
    expect([set.add(crowd, 0, 256, 9), set.reached, set.full]).toEqual([0, 255, true]);
    set.reset(1 << 24);
    expect(set.enter(crowd, 256)).toBe(false);
  });

  it('tells words from one another that are as far from different places', () => {
    const set = new WordSet();
    set.reset(1 << 24);
    const near = Int32Array.from({ length: 40 }, (_, place) =>
      wordOf(((place % 4) << 24) | (100 + (place >> 2))),
    );
    const far = near.map((_, place) => wordOf(((place % 4) << 24) | (110 + (place >> 2))));
    expect([set.add(near, 0, 40, 99), set.add(far, 0, 40, 99)]).toEqual([40, 40]);
    expect([set.add(far, 0, 40, 99), set.add(near, 0, 40, 99)]).toEqual([0, 0]);
  });

  it('knows a word that another has pushed out of the recent ones', () => {
    const set = new WordSet();
    const pair = Int32Array.of(wordOf((5 << 17) | 1), wordOf((5 << 17) | 2));
    const counts = Array.from({ length: 4 }, () => set.add(pair, 0, 2, 9));
    expect(counts).toEqual([2, 0, 0, 0]);
  });

  it('may be given nothing', () => {
    expect(new WordSet().add(new Int32Array(0), 0, 0, 9)).toBe(0);
  });

  it.each([0, -1])('takes %i for new when it is new itself', (word) => {
    expect(new WordSet().add(Int32Array.of(word), 0, 1, 9)).toBe(1);
  });

  it.each([-1, 0, 5])('knows %i after very many others', (word) => {
    const set = new WordSet();
    set.reset(1 << 18);
    const others = Int32Array.from({ length: 1 << 17 }, (_, place) => place + 6);
    expect(set.add(Int32Array.of(word), 0, 1, 9)).toBe(1);
    expect(set.add(others, 0, others.length, others.length)).toBe(others.length);
    expect(set.add(Int32Array.of(word), 0, 1, 9)).toBe(0);
  });

  it('does not know what was to be left out when others were entered', () => {
    const set = new WordSet();
    const words = Int32Array.of(11, 12, 13);
    for (const count of [3, 2]) {
      set.reset(1 << 10);
      set.enter(words, count);
      expect(set.add(words, 0, 3, 9)).toBe(3 - count);
    }
  });

  it('looks no further for a place than it may, be the next one taken', () => {
    const crowd = Int32Array.from({ length: 256 }, (_, high) => wordOf((high << 24) | 7));
    const set = new WordSet();
    set.reset(1 << 24);
    const last = 7 + (255 * 256) / 2;
    expect(set.add(Int32Array.of(wordOf(last)), 0, 1, 9)).toBe(1);
    expect([set.add(crowd, 0, 256, 999), set.reached, set.full]).toEqual([255, 255, true]);
  });

  it('says how many slots and bytes it has', () => {
    const set = new WordSet();
    expect([set.slots, set.bytes]).toEqual([1 << 10, 1 << 12]);
    set.reset(1 << 12);
    expect([set.slots, set.bytes]).toEqual([1 << 12, 1 << 14]);
    set.reset(1 << 24);
    expect([set.slots, set.bytes]).toEqual([1 << 24, 1 << 25]);
    set.free();
    expect(set.bytes).toBe(0);
    set.reset(1 << 10);
    set.free();
    expect(set.bytes).toBe(0);
  });
});
