import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasBit, lowest, ones, setBit } from '../../../src/explore/bits.ts';

const word = fc.oneof(
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.nat(31).map((bit) => 1 << bit),
);

describe('bits of a word', () => {
  it('are counted', () => {
    fc.assert(
      fc.property(word, (each) => {
        expect(ones(each)).toBe([...(each >>> 0).toString(2)].filter((bit) => bit === '1').length);
      }),
    );
    expect([0, -1, 1 << 31].map(ones)).toEqual([0, 32, 1]);
  });

  it('have a lowest', () => {
    fc.assert(
      fc.property(
        word.filter((each) => each !== 0),
        (each) => {
          expect(lowest(each)).toBe([...(each >>> 0).toString(2)].reverse().indexOf('1'));
        },
      ),
    );
  });
});

describe('bits of an array of words', () => {
  it('are those that were set', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(95)), (bits) => {
        const words = new Int32Array(3);
        for (const bit of [...bits, ...bits]) setBit(words, bit);
        expect([...Array(96).keys()].filter((bit) => hasBit(words, bit))).toEqual(
          [...bits].sort((a, b) => a - b),
        );
      }),
    );
  });
});
