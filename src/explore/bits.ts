/** Words as sets of 32 bits. */

/** How many bits of a word are set. */
export function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The place of the lowest bit that is set. */
export function lowest(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** Sets a bit in an array of words. */
export function setBit(words: Int32Array, bit: number): void {
  words[bit >> 5] = (words[bit >> 5] as number) | (1 << (bit & 31));
}

/** Whether a bit in an array of words is set. */
export function hasBit(words: Int32Array, bit: number): boolean {
  return (((words[bit >> 5] as number) >>> (bit & 31)) & 1) === 1;
}
