/**
 * How a global state lies in 32-bit words: one bit field for each component, wide enough for the local states that
 * are known so far, and none across a word's border, so that a step of one component changes one word.
 *
 * Components grow while the search runs. What is left over in a word is shared out as headroom; when a component
 * outgrows its field all the same, a new layout is made and the stored states are packed anew.
 */

/** Where each component's field lies. */
export interface Layout {
  /** 32-bit words in a state. */
  readonly words: number;
  /** For each component: the word, */
  readonly wordOf: Int32Array;
  /** how far its field is from the word's low end, */
  readonly shiftOf: Int32Array;
  /** and the field's mask, at the low end. */
  readonly maskOf: Int32Array;
}

/** A field holds at most this many bits, so that a local state is a positive small integer. */
const fieldBitsMax = 30;

/**
 * Lays components out.
 *
 * @param sizes - for each component, how many local states its field must tell apart
 */
export function layOut(sizes: readonly number[]): Layout {
  const bits = sizes.map((size) => Math.max(1, 32 - Math.clz32(Math.max(1, size - 1))));
  const widestFirst = bits.map((_, index) => index).sort((a, b) => (bits[b] as number) - (bits[a] as number));
  const words: number[][] = [];
  const used: number[] = [];
  for (const component of widestFirst) {
    const need = bits[component] as number;
    let word = used.findIndex((taken) => taken + need <= 32);
    if (word < 0) {
      word = words.push([]) - 1;
      used.push(0);
    }
    words[word]?.push(component);
    used[word] = (used[word] as number) + need;
  }
  const wordOf = new Int32Array(sizes.length);
  const shiftOf = new Int32Array(sizes.length);
  const maskOf = new Int32Array(sizes.length);
  for (const [word, members] of words.entries()) {
    const spare = 32 - (used[word] as number);
    let shift = 0;
    for (const [place, component] of members.entries()) {
      const share = Math.floor(spare / members.length) + (place < spare % members.length ? 1 : 0);
      const width = Math.min(fieldBitsMax, (bits[component] as number) + share);
      wordOf[component] = word;
      shiftOf[component] = shift;
      maskOf[component] = (1 << width) - 1;
      shift += width;
    }
  }
  return { words: words.length, wordOf, shiftOf, maskOf };
}

/** Whether each component's local states can be told apart in its field. */
export function fits(layout: Layout, sizes: readonly number[]): boolean {
  return sizes.every((size, component) => size - 1 <= (layout.maskOf[component] as number));
}

/** Packs states anew, from one layout to another, into words that are all 0. */
export function repack(old: Int32Array, from: Layout, fresh: Int32Array, to: Layout, states: number): void {
  const components = from.wordOf.length;
  for (let state = 0; state < states; state += 1) {
    for (let component = 0; component < components; component += 1) {
      const word = old[state * from.words + (from.wordOf[component] as number)] as number;
      const local = (word >>> (from.shiftOf[component] as number)) & (from.maskOf[component] as number);
      const place = state * to.words + (to.wordOf[component] as number);
      fresh[place] = (fresh[place] as number) | (local << (to.shiftOf[component] as number));
    }
  }
}
