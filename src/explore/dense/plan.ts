/**
 * Whether every state that the closed tables allow can have a bit of its own, and which.
 *
 * A state's place is a number in mixed radix. The component with the most local states is the innermost digit: its
 * local states lie side by side, as the bits of a row, so that a step of anything else moves a whole row at once.
 */
import type { Closure } from '../closure.ts';

/** More words than this do not fit into one typed array on every supported version of Node.js. */
const wordsMax = 2 ** 30;

/** Bitmaps that a dense search needs: known states, two levels, and the states from which time may pass. */
const bitmaps = 4;

/** Where a state's bit is. */
export interface DensePlan {
  /** The component whose local states are the bits of a row. */
  readonly inner: number;
  /** How many local states it has. */
  readonly innerSize: number;
  /** 32-bit words in a row. */
  readonly rowWords: number;
  /** How many rows there are: the combinations of the other components' local states. */
  readonly rows: number;
  /** For each component, how far apart the rows of two neighbouring local states are; 0 for the innermost. */
  readonly strides: readonly number[];
  /** For each component, how many local states it has. */
  readonly sizes: readonly number[];
}

/** Plans the bits of a closed system; undefined if there are too many for the bytes given. */
export function planDense({ sizes }: Pick<Closure, 'sizes'>, bytesMax: number): DensePlan | undefined {
  const innerSize = Math.max(...sizes);
  const inner = sizes.lastIndexOf(innerSize);
  const strides: number[] = [];
  let rows = 1;
  for (const [component, size] of sizes.entries()) {
    strides.push(component === inner ? 0 : rows);
    if (component !== inner) rows *= size;
  }
  const rowWords = (innerSize + 31) >> 5;
  const words = rows * rowWords;
  if (words > wordsMax || words * 4 * bitmaps + rows > bytesMax) return undefined;
  return { inner, innerSize, rowWords, rows, strides, sizes };
}
