import { describe, expect, it } from 'vitest';
import { StateBits } from '../../../src/explore/state-bits.ts';

const chunkBytes = 2 ** 16 / 8;

describe('a growing set of states', () => {
  it('has what was added, across its chunks', () => {
    const set = new StateBits();
    const added = [0, 31, 32, 33, 2 ** 16 - 1, 2 ** 16, 2 ** 17 + 5, 0];
    for (const state of added) set.add(state);
    const all = [...Array(3 * 2 ** 16).keys()].filter((state) => set.has(state));
    expect(all).toEqual([0, 31, 32, 33, 2 ** 16 - 1, 2 ** 16, 2 ** 17 + 5]);
  });

  it('takes a chunk when it has to', () => {
    const set = new StateBits();
    expect([set.bytes, set.has(0)]).toEqual([0, false]);
    set.add(2 ** 16 - 1);
    expect([set.bytes, set.has(2 ** 16)]).toEqual([chunkBytes, false]);
    set.add(2 ** 16);
    expect(set.bytes).toBe(2 * chunkBytes);
  });
});
