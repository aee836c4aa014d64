/**
 * What the innermost component does and allows, for all of its local states at once: which of them block a choice,
 * as a row of bits, and where each of them goes, as an image.
 */
import { setBit } from '../bits.ts';
import type { Closure } from '../closure.ts';
import type { Engine } from '../engine.ts';
import type { JudgedEffect } from '../judge.ts';
import { restless, running } from '../offers.ts';
import { type DueTimer, unknownStep } from '../steps.ts';
import type { DensePlan } from './plan.ts';

/** In an image: this local state speaks to other components, so that its step has to be made on its own. */
export const onItsOwn = -2;

/** Where each local state of the innermost component goes. */
export interface Image {
  /** By local state: the next one, {@link onItsOwn}, or -1 where nothing can bring it. */
  readonly next: Int32Array;
  /** The local states that go on their own; undefined if there are none. */
  readonly alone: Int32Array | undefined;
  /** By local state: what is judged on the way. */
  readonly effects: ReadonlyMap<number, readonly JudgedEffect[]>;
  /** The local states of which that has something, and that do not go on their own; undefined if there are none. */
  readonly judged: Int32Array | undefined;
  /** The local states that have gone this way in some run. */
  readonly used: Int32Array;
  /** What makes it happen: a choice, a timer, or deliveries to the innermost component, one after another. */
  readonly cause: ImageCause;
}

/** What makes the innermost component move. */
export type ImageCause =
  | { readonly kind: 'choice'; readonly choice: number }
  | { readonly kind: 'timer'; readonly part: number; readonly timer: string }
  | { readonly kind: 'deliveries'; readonly deliveries: readonly number[] }
  | { readonly kind: 'tick' };

/** A timer of the innermost component. */
export interface InnerTimer {
  readonly part: number;
  readonly pick: number;
  /** The local states in which it is due. */
  readonly due: Int32Array;
  readonly image: Image;
}

/** The innermost component's masks and images. */
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
  readonly tick: Image;
  readonly #closure: Closure;
  readonly #plan: DensePlan;
  readonly #choices: (Image | undefined)[];
  readonly #sequences = new Map<string, Image>();
  readonly #single: (Image | undefined)[] = [];

  constructor(engine: Engine, closure: Closure, plan: DensePlan) {
    this.#closure = closure;
    this.#plan = plan;
    const { offers } = engine;
    const { choices, parts } = engine.world.system;
    const rows = offers.rows[plan.inner] as Int32Array;
    const bitsOf = (test: (start: number) => boolean): Int32Array => {
      const bits = new Int32Array(plan.rowWords);
      for (let local = 0; local < plan.innerSize; local += 1) {
        if (test(local * offers.stride)) setBit(bits, local);
      }
      return bits;
    };
    const flag = (start: number, bit: number): boolean =>
      (((rows[start + (bit >> 5)] as number) >>> (bit & 31)) & 1) === 1;
    const blocked = (choice: number) => bitsOf((start) => flag(start + 1, choice));
    const pausing = 1 + offers.choiceWords + offers.partWords;
    this.running = bitsOf((start) => ((rows[start] as number) & running) !== 0);
    this.restless = bitsOf((start) => ((rows[start] as number) & restless) !== 0);
    this.allows = choices.map((_, choice) => complement(blocked(choice)));
    this.pauses = parts.map((_, part) => orNothing(bitsOf((start) => flag(start + pausing, part))));
    this.#choices = choices.map(() => undefined);
    this.timers = this.#findTimers();
    const ticks = closure.steps.ticks[plan.inner] as Int32Array;
    this.tick = this.#image((local) => ticks[local] as number, { kind: 'tick' });
  }

  /** Where a choice that only the innermost component takes leads. */
  choice(choice: number): Image {
    let image = this.#choices[choice];
    if (image === undefined) {
      const column = this.#closure.steps.choices[choice] as Int32Array;
      image = this.#image((local) => column[local] as number, { kind: 'choice', choice });
      this.#choices[choice] = image;
    }
    return image;
  }

  /** Where some deliveries, one after another, lead. */
  sequence(deliveries: readonly number[]): Image {
    if (deliveries.length === 1) {
      const [only] = deliveries as [number];
      this.#single[only] ??= this.#sequence(deliveries);
      return this.#single[only];
    }
    const key = deliveries.join(' ');
    let image = this.#sequences.get(key);
    if (image === undefined) {
      image = this.#sequence(deliveries);
      this.#sequences.set(key, image);
    }
    return image;
  }

  /** All images, for what they say of which steps were used. */
  *images(): Iterable<Image> {
    for (const image of [...this.#choices, ...this.#single]) if (image !== undefined) yield image;
    yield* this.#sequences.values();
    for (const { image } of this.timers) yield image;
  }

  #sequence(deliveries: readonly number[]): Image {
    const { steps } = this.#closure;
    const effects = new Map<number, readonly JudgedEffect[]>();
    const next = new Int32Array(this.#plan.innerSize);
    for (let local = 0; local < next.length; local += 1) {
      let at = local;
      for (const delivery of deliveries) {
        if (at < 0) break;
        const entry = steps.known(delivery, at);
        if (entry >= unknownStep) at = entry;
        else {
          const far = steps.far(entry);
          if (far.effects.length > 0) effects.set(local, [...(effects.get(local) ?? []), ...far.effects]);
          at = far.outgoing.length > 0 ? onItsOwn : far.next;
        }
      }
      next[local] = at;
    }
    return this.#finish(next, effects, { kind: 'deliveries', deliveries: [...deliveries] });
  }

  #image(entryOf: (local: number) => number, cause: ImageCause): Image {
    const effects = new Map<number, readonly JudgedEffect[]>();
    const next = new Int32Array(this.#plan.innerSize);
    for (let local = 0; local < next.length; local += 1) {
      const entry = entryOf(local);
      if (entry >= unknownStep) {
        next[local] = entry;
        continue;
      }
      const far = this.#closure.steps.far(entry);
      if (far.effects.length > 0) effects.set(local, far.effects);
      next[local] = far.outgoing.length > 0 ? onItsOwn : far.next;
    }
    return this.#finish(next, effects, cause);
  }

  #finish(next: Int32Array, effects: ReadonlyMap<number, readonly JudgedEffect[]>, cause: ImageCause): Image {
    const { rowWords } = this.#plan;
    const alone = new Int32Array(rowWords);
    const judged = new Int32Array(rowWords);
    for (const [local, to] of next.entries()) if (to === onItsOwn) setBit(alone, local);
    for (const local of effects.keys()) if (next[local] !== onItsOwn) setBit(judged, local);
    return {
      next,
      alone: orNothing(alone),
      effects,
      judged: orNothing(judged),
      used: new Int32Array(rowWords),
      cause,
    };
  }

  #findTimers(): InnerTimer[] {
    const found = new Map<number, { timer: DueTimer; due: Int32Array; entries: Map<number, number> }>();
    for (let local = 0; local < this.#plan.innerSize; local += 1) {
      for (const timer of this.#closure.steps.dueTimers(this.#plan.inner, local)) {
        const known = found.get(timer.pick) ?? {
          timer,
          due: new Int32Array(this.#plan.rowWords),
          entries: new Map<number, number>(),
        };
        found.set(timer.pick, known);
        setBit(known.due, local);
        known.entries.set(local, timer.entry);
      }
    }
    return [...found.values()].map(({ timer: { part, pick, timer }, due, entries }) => ({
      part,
      pick,
      due,
      image: this.#image((local) => entries.get(local) ?? unknownStep, { kind: 'timer', part, timer }),
    }));
  }
}

/** The other local states; undefined if that is all of them. */
function complement(blocked: Int32Array): Int32Array | undefined {
  return blocked.some((word) => word !== 0) ? blocked.map((word) => ~word) : undefined;
}

function orNothing(bits: Int32Array): Int32Array | undefined {
  return bits.some((word) => word !== 0) ? bits : undefined;
}
