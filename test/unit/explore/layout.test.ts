import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fits, type Layout, layOut, repack } from '../../../src/explore/layout.ts';

/** For each component: its word, its shift and how many bits it has. */
function fieldsOf({ wordOf, shiftOf, maskOf }: Layout): number[][] {
  return [...wordOf].map((word, component) => [
    word,
    shiftOf[component] as number,
    Math.log2((maskOf[component] as number) + 1),
  ]);
}

function packed(layout: Layout, states: readonly (readonly number[])[]): Int32Array {
  const words = new Int32Array(states.length * layout.words);
  for (const [state, locals] of states.entries()) {
    for (const [component, local] of locals.entries()) {
      const place = state * layout.words + (layout.wordOf[component] as number);
      words[place] = (words[place] as number) | (local << (layout.shiftOf[component] as number));
    }
  }
  return words;
}

describe('a layout', () => {
  it('shares out what is left over in a word', () => {
    expect(fieldsOf(layOut([2, 3, 1]))).toEqual([
      [0, 12, 10],
      [0, 0, 12],
      [0, 22, 10],
    ]);
    expect(fieldsOf(layOut([4, 5, 9]))).toEqual([
      [0, 23, 9],
      [0, 12, 11],
      [0, 0, 12],
    ]);
  });

  it('gives each component bits enough and no more than thirty', () => {
    const bits = (size: number): number => fieldsOf(layOut([size, 2 ** 20]))[0]?.[2] as number;
    expect([1, 2, 2 ** 12, 2 ** 12 + 1].map(bits)).toEqual([6, 6, 12, 30]);
    expect(fieldsOf(layOut([1]))).toEqual([[0, 0, 30]]);
    expect(layOut([])).toMatchObject({ words: 0 });
  });

  it('fills a word before it begins the next, with the widest first', () => {
    const layout = layOut([2 ** 8, 2 ** 16, 2 ** 16, 2 ** 17, 2 ** 8]);
    expect(layout.words).toBe(3);
    expect(fieldsOf(layout)).toEqual([
      [0, 21, 11],
      [1, 0, 16],
      [1, 16, 16],
      [0, 0, 21],
      [2, 0, 30],
    ]);
  });

  it('holds sizes up to the width of its fields', () => {
    const layout = layOut([2, 3, 1]);
    expect(fits(layout, [2 ** 10, 2 ** 12, 1])).toBe(true);
    expect(fits(layout, [2 ** 10 + 1, 2 ** 12, 1])).toBe(false);
    expect(fits(layout, [1, 1, 2 ** 10 + 1])).toBe(false);
  });

  it('keeps states when it changes', () => {
    const size = fc.nat({ max: 20 }).map((bits) => 2 ** bits);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(size, size, fc.nat()), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        (components, states) => {
          const from = layOut(components.map(([size]) => size));
          const to = layOut(components.map(([size, grown]) => Math.max(size, grown)));
          const locals = Array.from({ length: states + 1 }, (_, state) =>
            components.map(([size, , drawn]) => (drawn + state) % size),
          );
          const fresh = new Int32Array(states * to.words + to.words);
          repack(packed(from, locals), from, fresh, to, states);
          expect(fresh.subarray(0, states * to.words)).toEqual(packed(to, locals.slice(0, states)));
          expect(fresh.subarray(states * to.words)).toEqual(new Int32Array(to.words));
        },
      ),
      { numRuns: 100 },
    );
  });
});
