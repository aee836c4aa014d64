/**
 * Which of the closure's steps some run has made. The closure holds more than can happen, so what has happened is noted
 * here, and told to the coverage at the end.
 */
import type { Closure } from '../closure.ts';
import type { ComponentStep } from '../component-space.ts';
import type { Engine } from '../engine.ts';
import type { DueTimer } from '../steps.ts';
import type { Image } from './inner-tables.ts';
import type { DensePlan } from './plan.ts';

/** The steps that were made. */
export class Usage {
  /** One bit for each choice: it has been offered. */
  readonly offered: Int32Array;
  readonly #engine: Engine;
  readonly #plan: DensePlan;
  /** By choice and local state. */
  readonly #choices: Uint8Array[];
  /** By delivery and local state. */
  readonly #deliveries: Uint8Array[] = [];
  readonly #timers = new Set<DueTimer>();
  readonly #timerPlaces: { component: number; local: number; timer: DueTimer }[] = [];

  constructor(engine: Engine, closure: Closure, plan: DensePlan) {
    this.#engine = engine;
    this.#plan = plan;
    this.offered = new Int32Array(engine.offers.choiceWords);
    this.#choices = [...closure.steps.componentOfChoice].map(
      (component) => new Uint8Array(component < 0 ? 0 : (plan.sizes[component] as number)),
    );
  }

  /** A choice was made by a component outside of the rows. */
  choice(choice: number, local: number): void {
    (this.#choices[choice] as Uint8Array)[local] = 1;
  }

  /** A component outside of the rows was told something. */
  delivery(delivery: number, local: number): void {
    let used = this.#deliveries[delivery];
    if (used === undefined) {
      used = new Uint8Array(this.#plan.sizes[this.#engine.deliveries.component(delivery)] as number);
      this.#deliveries[delivery] = used;
    }
    used[local] = 1;
  }

  /** A timer of a component outside of the rows fired. */
  timer(component: number, local: number, timer: DueTimer): void {
    if (this.#timers.has(timer)) return;
    this.#timers.add(timer);
    this.#timerPlaces.push({ component, local, timer });
  }

  /** The places of the parts of which a timer fired outside of the rows. */
  partsWithTimers(): number[] {
    return this.#timerPlaces.map(({ timer }) => timer.part);
  }

  /** Tells the engine's coverage. */
  tell(images: Iterable<Image>): void {
    const { coverage, spaces, deliveries, world, steps } = this.#engine;
    for (const [word, bits] of this.offered.entries()) {
      coverage.offered[word] = (coverage.offered[word] as number) | bits;
    }
    const cover = ({ took }: Pick<ComponentStep, 'took'>): void => {
      for (const [part, transition] of took) coverage.took(part, transition);
    };
    for (const [choice, used] of this.#choices.entries()) {
      const space = spaces[steps.componentOfChoice[choice] as number];
      const deliver = world.system.choices[choice]?.deliver ?? [];
      for (const local of setOf(used)) if (space !== undefined) cover(space.receive(local, deliver));
    }
    for (const [delivery, used] of this.#deliveries.entries()) {
      if (used === undefined) continue;
      const space = spaces[deliveries.component(delivery)];
      for (const local of setOf(used)) {
        if (space !== undefined) cover(space.receive(local, [deliveries.delivery(delivery)]));
      }
    }
    for (const { component, local, timer } of this.#timerPlaces) {
      const step = spaces[component]?.fire(local, timer.part, timer.timer);
      if (step !== undefined) cover(step);
    }
    for (const image of images) this.#tellImage(image, cover);
  }

  #tellImage({ used, cause }: Image, cover: (step: Pick<ComponentStep, 'took'>) => void): void {
    const { spaces, deliveries, world } = this.#engine;
    const space = spaces[this.#plan.inner];
    if (space === undefined || cause.kind === 'tick') return;
    for (let local = 0; local < this.#plan.innerSize; local += 1) {
      if ((((used[local >> 5] as number) >>> (local & 31)) & 1) === 0) continue;
      if (cause.kind === 'choice') {
        cover(space.receive(local, world.system.choices[cause.choice]?.deliver ?? []));
      } else if (cause.kind === 'timer') {
        cover(space.fire(local, cause.part, cause.timer));
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

function setOf(used: Uint8Array): number[] {
  return [...used.keys()].filter((local) => used[local] === 1);
}
