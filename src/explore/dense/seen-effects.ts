/**
 * Effects, each once for every combination of the local states that its condition can tell apart. The first time is on
 * the earliest level, so what is judged then is judged for good; and the predicate need not be where the work is done.
 */

/** A table of bits is kept for so many combinations; above that a set. */
const tableMax = 1 << 24;

/** An effect that was met for the first time, in a state. */
export interface MetEffect {
  readonly effect: number;
  readonly pick: number;
  readonly locals: Int32Array;
}

/** The combinations that were met. */
export class SeenEffects {
  /** What was met and has not been asked for yet. */
  readonly met: MetEffect[] = [];
  /** For each effect: the components that its condition reads, */
  readonly #reads: readonly (readonly number[])[];
  readonly #sizes: readonly number[];
  /** and the combinations that were met. */
  readonly #seen: (Uint8Array | Set<string>)[];

  /**
   * @param reads - for each effect, the components that its condition reads
   * @param sizes - for each component, how many local states it has
   */
  constructor(reads: readonly (readonly number[])[], sizes: readonly number[]) {
    this.#reads = reads;
    this.#sizes = sizes;
    this.#seen = reads.map((components) => {
      const combinations = components.reduce((product, each) => product * (sizes[each] as number), 1);
      return combinations <= tableMax ? new Uint8Array(combinations) : new Set<string>();
    });
  }

  /** An effect happens in a state. */
  see(effect: number, pick: number, locals: Int32Array): void {
    const seen = this.#seen[effect] as Uint8Array | Set<string>;
    const reads = this.#reads[effect] as readonly number[];
    if (seen instanceof Uint8Array) {
      let key = 0;
      for (let each = 0; each < reads.length; each += 1) {
        const component = reads[each] as number;
        key = key * (this.#sizes[component] as number) + (locals[component] as number);
      }
      if (seen[key] === 1) return;
      seen[key] = 1;
    } else {
      const key = reads.map((component) => locals[component]).join(' ');
      if (seen.has(key)) return;
      seen.add(key);
    }
    this.met.push({ effect, pick, locals: locals.slice() });
  }

  /** What was met since this was last asked. */
  take(): MetEffect[] {
    return this.met.splice(0);
  }
}
