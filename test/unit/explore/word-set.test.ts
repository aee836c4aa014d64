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
});
