import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DensePlan, planDense } from '../../../../src/explore/dense/plan.ts';
import { RankedStates } from '../../../../src/explore/dense/ranked-states.ts';
import type { Expander } from '../../../../src/explore/expander.ts';

const plan = planDense({ sizes: [3, 40, 2, 5] }, 2 ** 20) as DensePlan;

/** Packs each local state into a word of its own. */
const expander = {
  layout: { words: 4 },
  pack: (locals: Int32Array, into: Int32Array, at: number) => into.set(locals, at),
  unpack: (from: Int32Array, at: number, locals: Int32Array) => locals.set(from.subarray(at, at + 4)),
} as unknown as Expander;

const everything: number[][] = [];
for (let last = 0; last < 5; last += 1) {
  for (let middle = 0; middle < 2; middle += 1) {
    for (let first = 0; first < 3; first += 1) {
      for (let inner = 0; inner < 40; inner += 1) everything.push([first, inner, middle, last]);
    }
  }
}

function placeOf([first, inner, middle, last]: readonly number[]): number {
  const row = (first as number) + 3 * (middle as number) + 6 * (last as number);
  return row * 64 + (inner as number);
}

function ranked(states: readonly (readonly number[])[]): RankedStates {
  const known = new Int32Array(plan.rows * plan.rowWords);
  for (const place of states.map(placeOf)) {
    known[place >> 5] = (known[place >> 5] as number) | (1 << (place & 31));
  }
  return new RankedStates(known, plan, expander);
}

const subset = fc.oneof(
  fc.subarray(everything),
  fc.subarray(everything, { minLength: 1, maxLength: 4 }),
  fc.constant(everything),
);

describe('ranked states', () => {
  it('are numbered in the order of their places', () => {
    fc.assert(
      fc.property(subset, fc.array(fc.nat(), { maxLength: 20 }), (states, asked) => {
        const all = ranked(states);
        expect(all.count).toBe(states.length);
        const tell = (state: number): number[] => [...all.chunk(state).subarray(all.offset(state))];
        expect(states.map((_, state) => tell(state))).toEqual(states);
        if (states.length === 0) return;
        for (const state of asked.map((each) => each % states.length))
          expect(tell(state)).toEqual(states[state]);
      }),
      { numRuns: 30 },
    );
  });

  it('are found, and no others', () => {
    fc.assert(
      fc.property(subset, (states) => {
        const all = ranked(states);
        const numbers = new Int32Array(everything.length);
        all.findBatch(Int32Array.from(everything.flat()), everything.length, numbers);
        expect([...numbers]).toEqual(everything.map((state) => states.indexOf(state)));
      }),
      { numRuns: 15 },
    );
  });

  it('start with the first, wherever it is', () => {
    const all = ranked([[2, 39, 1, 4]]);
    expect([...all.chunk(0)]).toEqual([2, 39, 1, 4]);
    expect([...all.chunk(0)]).toEqual([2, 39, 1, 4]);
  });

  it('may be asked for in any order from the first on', () => {
    const states = everything.slice(5, 9);
    for (const first of [0, 1, 2, 3]) expect([...ranked(states).chunk(first)]).toEqual(states[first]);
    expect(ranked(states).offset(1)).toBe(0);
  });

  it('take the bytes of the bitmap and of its counts', () => {
    const all = ranked(everything);
    expect([all.words, all.bytes]).toEqual([4, 60 * 4 + 9 * 4]);
  });
});
