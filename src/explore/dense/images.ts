/**
 * Where each local state of a component goes for one cause: a choice that it takes alone, a timer, or events from other
 * components one after another.
 */
import { setBit } from '../bits.ts';
import { unknownStep } from '../steps.ts';
import { farStep, type Program } from './program.ts';

/** In an image: this local state speaks to other components, so that its step has to be made on its own. */
export const onItsOwn = -2;

/** What makes a component move. */
export type ImageCause =
  | { readonly kind: 'choice'; readonly choice: number }
  | { readonly kind: 'timer'; readonly pick: number }
  | { readonly kind: 'deliveries'; readonly deliveries: readonly number[] };

/** What has happened of an image. */
export interface ImageUse {
  readonly component: number;
  readonly cause: ImageCause;
  /** The local states that have gone this way in some run. */
  readonly used: Int32Array;
}

/** Where each local state of a component goes. */
export interface Image extends ImageUse {
  /** By local state: the next one, {@link onItsOwn}, or -1 where nothing can bring it. */
  readonly next: Int32Array;
  /** The local states that go on their own; undefined if there are none. */
  readonly alone: Int32Array | undefined;
  /** By local state: numbers of the effects on the way. */
  readonly effects: ReadonlyMap<number, readonly number[]>;
  /** The local states of which that has something and that do not go on their own; undefined if there are none. */
  readonly judged: Int32Array | undefined;
}

/** All images of a program. */
export class Images {
  readonly #program: Program;
  readonly #all: Image[] = [];
  readonly #choices: (Image | undefined)[] = [];
  readonly #sequences = new Map<string, Image>();

  constructor(program: Program) {
    this.#program = program;
  }

  /** Where a choice that one component takes alone leads. */
  choice(choice: number): Image {
    let image = this.#choices[choice];
    if (image === undefined) {
      const column = this.#program.choices[choice] as Int32Array;
      const component = this.#program.componentOfChoice[choice] as number;
      image = this.#make(component, { kind: 'choice', choice }, (local) => column[local] as number);
      this.#choices[choice] = image;
    }
    return image;
  }

  /** Where a timer leads. */
  timer(component: number, pick: number, entries: ReadonlyMap<number, number>): Image {
    return this.#make(component, { kind: 'timer', pick }, (local) => entries.get(local) ?? unknownStep);
  }

  /** Where some deliveries to one component, one after another, lead. */
  sequence(component: number, deliveries: readonly number[]): Image {
    const key = deliveries.join(' ');
    let image = this.#sequences.get(key);
    if (image === undefined) {
      image = this.#sequence(component, [...deliveries]);
      this.#sequences.set(key, image);
    }
    return image;
  }

  /** What has happened so far. */
  uses(): ImageUse[] {
    return this.#all.map(({ component, cause, used }) => ({ component, cause, used }));
  }

  #sequence(component: number, deliveries: readonly number[]): Image {
    const program = this.#program;
    const effects = new Map<number, readonly number[]>();
    const next = Int32Array.from({ length: program.sizes[component] as number }, (_, local) => {
      let at = local;
      for (const delivery of deliveries) {
        const entry = program.deliveries[delivery]?.[at] as number;
        if (entry >= unknownStep) at = entry;
        else {
          const far = farStep(program, entry);
          if (far.effects.length > 0) effects.set(local, [...(effects.get(local) ?? []), ...far.effects]);
          at = far.outgoing.length > 0 ? onItsOwn : far.next;
        }
        if (at < 0) break;
      }
      return at;
    });
    return this.#finish(component, { kind: 'deliveries', deliveries }, next, effects);
  }

  #make(component: number, cause: ImageCause, entryOf: (local: number) => number): Image {
    const effects = new Map<number, readonly number[]>();
    const next = Int32Array.from({ length: this.#program.sizes[component] as number }, (_, local) => {
      const entry = entryOf(local);
      if (entry >= unknownStep) return entry;
      const far = farStep(this.#program, entry);
      if (far.effects.length > 0) effects.set(local, far.effects);
      return far.outgoing.length > 0 ? onItsOwn : far.next;
    });
    return this.#finish(component, cause, next, effects);
  }

  #finish(
    component: number,
    cause: ImageCause,
    next: Int32Array,
    effects: ReadonlyMap<number, readonly number[]>,
  ): Image {
    const words = (next.length + 31) >> 5;
    const alone = new Int32Array(words);
    const judged = new Int32Array(words);
    for (const [local, to] of next.entries()) if (to === onItsOwn) setBit(alone, local);
    for (const local of effects.keys()) if (next[local] !== onItsOwn) setBit(judged, local);
    const used = new Int32Array(words);
    const image = {
      component,
      cause,
      next,
      alone: orNothing(alone),
      effects,
      judged: orNothing(judged),
      used,
    };
    this.#all.push(image);
    return image;
  }
}

/** A set, or undefined if it is empty. */
export function orNothing(bits: Int32Array): Int32Array | undefined {
  return bits.some((word) => word !== 0) ? bits : undefined;
}
