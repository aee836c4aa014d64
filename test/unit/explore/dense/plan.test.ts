import { describe, expect, it } from 'vitest';
import { planDense } from '../../../../src/explore/dense/plan.ts';

describe('a plan of the bits of a system', () => {
  it('makes the last of the largest components the innermost digit', () => {
    expect(planDense({ sizes: [2, 33, 3, 33, 5] }, 2 ** 30)).toEqual({
      inner: 3,
      innerSize: 33,
      rowWords: 2,
      rows: 990,
      strides: [1, 2, 66, 0, 198],
      sizes: [2, 33, 3, 33, 5],
    });
    expect(planDense({ sizes: [32] }, 2 ** 30)).toMatchObject({ rowWords: 1, rows: 1, strides: [0] });
  });

  it('is made if four bitmaps and a byte for each row fit', () => {
    const bytes = 6 * 2 * 4 * 4 + 6;
    expect(planDense({ sizes: [2, 40, 3] }, bytes)).toMatchObject({ rows: 6, rowWords: 2 });
    expect(planDense({ sizes: [2, 40, 3] }, bytes - 1)).toBeUndefined();
  });

  it('is made if a bitmap fits into one array', () => {
    const sizes = [2 ** 10, 2 ** 10, 2 ** 10, 2 ** 10];
    expect(planDense({ sizes: [2 ** 10, 2 ** 10, 2 ** 5, 2 ** 10] }, Number.POSITIVE_INFINITY)).toBeDefined();
    expect(planDense({ sizes: [2 ** 10, 2 ** 10, 33, 2 ** 10] }, Number.POSITIVE_INFINITY)).toBeUndefined();
    expect(planDense({ sizes }, Number.POSITIVE_INFINITY)).toBeUndefined();
  });
});
