/** What the innermost component allows and has due, for all of its local states at once, as rows of bits. */
import { setBit } from '../bits.ts';
import { restless, running } from '../offers.ts';
import { unknownStep } from '../steps.ts';
import { type Image, type Images, orNothing } from './images.ts';
import type { DensePlan } from './plan.ts';
import type { Program } from './program.ts';

/** A timer of the innermost component. */
export interface InnerTimer {
  readonly part: number;
  readonly pick: number;
  /** The local states in which it is due. */
  readonly due: Int32Array;
  /** By local state: its entry. */
  readonly entries: Int32Array;
  readonly image: Image;
}

/** The innermost component's masks. */
export class InnerTables {
  /** The local states in which some timer runs. */
  readonly running: Int32Array;
  /** The local states in which some part is neither final nor at rest. */
  readonly restless: Int32Array;
  /** By choice: the local states that do not block it; undefined if none blocks it. */
  readonly allows: readonly (Int32Array | undefined)[];
  /** By part: the local states that pause it; undefined if none does. */
  readonly pauses: readonly (Int32Array | undefined)[];
  readonly timers: readonly InnerTimer[];

  constructor(program: Program, { inner, innerSize, rowWords }: DensePlan, images: Images) {
    const { stride, choiceWords, partWords } = program;
    const rows = program.rows[inner] as Int32Array;
    const bitsOf = (test: (start: number) => boolean): Int32Array => {
      const bits = new Int32Array(rowWords);
      for (let local = 0; local < innerSize; local += 1) if (test(local * stride)) setBit(bits, local);
      return bits;
    };
    const flag = (start: number, bit: number): boolean =>
      (((rows[start + (bit >> 5)] as number) >>> (bit & 31)) & 1) === 1;
    const pausing = 1 + choiceWords + partWords;
    this.running = bitsOf((start) => ((rows[start] as number) & running) !== 0);
    this.restless = bitsOf((start) => ((rows[start] as number) & restless) !== 0);
    this.allows = [...program.componentOfChoice].map((_, choice) =>
      orNothing(bitsOf((start) => flag(start + 1, choice)))?.map((word) => ~word),
    );
    this.pauses = [...program.componentOfPart].map((_, part) =>
      orNothing(bitsOf((start) => flag(start + pausing, part))),
    );
    this.timers = findTimers(program, inner, rowWords, images);
  }
}

function findTimers(program: Program, inner: number, rowWords: number, images: Images): InnerTimer[] {
  const found = new Map<number, { part: number; due: Int32Array; entries: Map<number, number> }>();
  for (const [local, timers] of (program.due[inner] ?? []).entries()) {
    for (const { part, pick, entry } of timers) {
      const known = found.get(pick) ?? { part, due: new Int32Array(rowWords), entries: new Map() };
      found.set(pick, known);
      setBit(known.due, local);
      known.entries.set(local, entry);
    }
  }
  return [...found].map(([pick, { part, due, entries }]) => ({
    part,
    pick,
    due,
    entries: Int32Array.from({ length: rowWords * 32 }, (_, local) => entries.get(local) ?? unknownStep),
    image: images.timer(inner, pick, entries),
  }));
}
