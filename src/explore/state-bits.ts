/** One bit for each state, in chunks that are only ever added to. */

const chunkBits = 16;
const chunkWords = (1 << chunkBits) >> 5;

/** A growing set of state numbers. */
export class StateBits {
  readonly #chunks: Int32Array[] = [];

  /** The bytes that the set holds. */
  get bytes(): number {
    return this.#chunks.length * chunkWords * 4;
  }

  /** Adds a state. */
  add(state: number): void {
    while (this.#chunks.length <= state >> chunkBits) this.#chunks.push(new Int32Array(chunkWords));
    const chunk = this.#chunks[state >> chunkBits] as Int32Array;
    const word = (state >> 5) & (chunkWords - 1);
    chunk[word] = (chunk[word] as number) | (1 << (state & 31));
  }

  /** Whether a state is in the set. */
  has(state: number): boolean {
    const chunk = this.#chunks[state >> chunkBits];
    if (chunk === undefined) return false;
    return (((chunk[(state >> 5) & (chunkWords - 1)] as number) >>> (state & 31)) & 1) === 1;
  }
}
