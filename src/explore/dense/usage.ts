/**
 * Which of a program's steps some run has made. The closure holds more than can happen, so what has happened is noted
 * here, and told to the coverage at the end.
 */
import { lowest } from '../bits.ts';
import type { ComponentStep } from '../component-space.ts';
import type { Engine } from '../engine.ts';
import type { ImageUse } from './images.ts';
import type { Program } from './program.ts';

/** The steps that were made, as plain data. */
export interface StepUses {
  /** One bit for each choice: it has been offered. */
  readonly offered: Int32Array;
  /** What components have done on their own or have been told. */
  readonly images: readonly ImageUse[];
}

/** Notes steps. */
export class Usage {
  readonly #program: Program;
  readonly #offered: Int32Array;
  readonly #choices: (Int32Array | undefined)[] = [];
  /** By pick. */
  readonly #timers = new Map<number, { component: number; used: Int32Array }>();
  /** By choice and component: what the choice tells it has made it speak. */
  readonly #joint = new Map<number, { choice: number; component: number; used: Int32Array }>();

  constructor(program: Program) {
    this.#program = program;
    this.#offered = new Int32Array(program.choiceWords);
  }

  /** Some choices were offered. */
  offer(word: number, bits: number): void {
    this.#offered[word] = (this.#offered[word] as number) | bits;
  }

  /** A component outside of the rows took a choice alone. */
  choice(choice: number, local: number): void {
    this.#choices[choice] ??= this.#noneOf(this.#program.componentOfChoice[choice] as number);
    add(this.#choices[choice], local);
  }

  /** A component took a choice with others, and spoke. */
  joint(choice: number, component: number, local: number): void {
    const key = choice * this.#program.sizes.length + component;
    let known = this.#joint.get(key);
    if (known === undefined) {
      known = { choice, component, used: this.#noneOf(component) };
      this.#joint.set(key, known);
    }
    add(known.used, local);
  }

  /** A timer of a component outside of the rows fired. */
  timer(component: number, pick: number, local: number): void {
    let known = this.#timers.get(pick);
    if (known === undefined) {
      known = { component, used: this.#noneOf(component) };
      this.#timers.set(pick, known);
    }
    add(known.used, local);
  }

  /** Everything, with what was noted elsewhere. */
  collect(images: readonly ImageUse[], received: readonly (Int32Array | undefined)[]): StepUses {
    const { componentOfChoice, componentOfDelivery, joint } = this.#program;
    const uses: ImageUse[] = [...images];
    for (const [choice, used] of this.#choices.entries()) {
      const component = componentOfChoice[choice] as number;
      if (used !== undefined) uses.push({ component, cause: { kind: 'choice', choice }, used });
    }
    for (const [pick, { component, used }] of this.#timers) {
      uses.push({ component, cause: { kind: 'timer', pick }, used });
    }
    for (const { choice, component, used } of this.#joint.values()) {
      const deliveries = (joint[choice] ?? []).filter((each) => componentOfDelivery[each] === component);
      uses.push({ component, cause: { kind: 'deliveries', deliveries }, used });
    }
    for (const [delivery, used] of received.entries()) {
      if (used === undefined) continue;
      const component = componentOfDelivery[delivery] as number;
      uses.push({ component, cause: { kind: 'deliveries', deliveries: [delivery] }, used });
    }
    return { offered: this.#offered, images: uses };
  }

  #noneOf(component: number): Int32Array {
    return new Int32Array(((this.#program.sizes[component] as number) + 31) >> 5);
  }
}

function add(set: Int32Array, local: number): void {
  set[local >> 5] = (set[local >> 5] as number) | (1 << (local & 31));
}

/** Tells an engine's coverage what has happened. */
export function tellCoverage(engine: Engine, { offered, images }: StepUses): void {
  const { coverage, spaces, deliveries, world } = engine;
  for (const [word, bits] of offered.entries()) {
    coverage.offered[word] = (coverage.offered[word] as number) | bits;
  }
  const cover = ({ took }: ComponentStep): void => {
    for (const [part, transition] of took) coverage.took(part, transition);
  };
  for (const { component, cause, used } of images) {
    const space = spaces[component];
    if (space === undefined) continue;
    for (const local of placesOf(used)) {
      if (cause.kind === 'choice') {
        cover(space.receive(local, world.system.choices[cause.choice]?.deliver ?? []));
      } else if (cause.kind === 'timer') {
        const { part, timer } = engine.picks.timerOf(cause.pick);
        cover(space.fire(local, part, timer));
      } else {
        let at = local;
        for (const delivery of cause.deliveries) {
          const step = space.receive(at, [deliveries.delivery(delivery)]);
          cover(step);
          at = step.next;
        }
      }
    }
  }
}

/** The places of the parts of which a timer fired. */
export function partsWithTimers(engine: Engine, { images }: StepUses): Set<number> {
  const parts = new Set<number>();
  for (const { cause, used } of images) {
    if (cause.kind === 'timer' && used.some((word) => word !== 0))
      parts.add(engine.picks.timerOf(cause.pick).part);
  }
  return parts;
}

function* placesOf(set: Int32Array): Generator<number> {
  for (const [word, bits] of set.entries()) {
    for (let rest = bits; rest !== 0; rest &= rest - 1) yield (word << 5) + lowest(rest);
  }
}
