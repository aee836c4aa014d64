/**
 * The remembered steps: for each choice, travelling event, due timer and tick, a column that says by a component's
 * local state where it leads. XState is asked when a step is first made; from then on it costs a look-up.
 *
 * An entry is the next local state if nothing else happens (0 or more), {@link unknownStep} if it has never been made,
 * and below that the number of a step that also speaks to other components or has an effect that some property judges.
 */
import type { World } from '../semantics/world.ts';
import type { ComponentSpace, ComponentStep } from './component-space.ts';
import type { Coverage } from './coverage.ts';
import type { Deliveries } from './deliveries.ts';
import type { Judge, JudgedEffect } from './judge.ts';
import type { Offers } from './offers.ts';
import type { PickNumbers } from './picks.ts';

import type { Symmetry } from './symmetry.ts';

/** An entry for a step that has never been made. */
export const unknownStep = -1;

/** A step with consequences outside its component. */
export interface FarStep {
  readonly next: number;
  readonly outgoing: readonly number[];
  readonly effects: readonly JudgedEffect[];
  readonly received: number;
}

/** A timer that is due in a local state. */
export interface DueTimer {
  readonly part: number;
  readonly timer: string;
  /** Its number among the picks. */
  readonly pick: number;
  /** An entry, as in the columns. */
  entry: number;
}

/** The columns of all components. */
export class Steps {
  /** For each choice that delivers to one component only: its column. Empty for the others. */
  readonly choices: Int32Array[];
  /** For each choice: its component, or -1 if it delivers to several. */
  readonly componentOfChoice: Int32Array;
  /** For each choice that delivers to several components: the numbers of its deliveries. */
  readonly joint: readonly (readonly number[])[];
  /** For each component: where a tick leads. */
  readonly ticks: Int32Array[];
  /** For each component and local state: the timers that are due, by part and id; undefined if not yet looked up. */
  readonly due: (readonly DueTimer[] | undefined)[][];
  /** Changes whenever columns are replaced by longer ones. */
  version = 0;
  /** How many steps have been made, not looked up. */
  made = 0;
  readonly #incoming: Int32Array[] = [];
  readonly #far: FarStep[] = [];
  readonly #world: World;
  readonly #spaces: readonly ComponentSpace[];
  readonly #deliveries: Deliveries;
  readonly #offers: Offers;
  readonly #picks: PickNumbers;
  readonly #judge: Judge;
  readonly #coverage: Coverage | undefined;
  readonly #symmetry: Symmetry | undefined;
  readonly #capacity: number[];
  /** For each component: further columns that are to be as long as its own. */
  readonly #followers: { next: Int32Array }[][];

  /**
   * @param judge - knows which effects matter
   * @param symmetry - tells which components have the same local states
   * @param coverage - is told of the transitions of each step that is made; left out if steps are made in advance
   */
  constructor(
    world: World,
    spaces: readonly ComponentSpace[],
    deliveries: Deliveries,
    offers: Offers,
    picks: PickNumbers,
    judge: Judge,
    coverage?: Coverage,
    symmetry?: Symmetry,
  ) {
    const { choices, components, parts } = world.system;
    this.#world = world;
    this.#spaces = spaces;
    this.#deliveries = deliveries;
    this.#offers = offers;
    this.#picks = picks;
    this.#judge = judge;
    this.#coverage = coverage;
    this.#symmetry = symmetry;
    const receivers = choices.map(({ deliver }) => [
      ...new Set(deliver.map(({ to }) => parts[world.system.partIndex(to)]?.component as number)),
    ]);
    this.componentOfChoice = Int32Array.from(receivers, (each) =>
      each.length === 1 ? (each[0] as number) : -1,
    );
    this.joint = choices.map(({ deliver }, place) =>
      receivers[place]?.length === 1 ? [] : deliver.map((delivery) => deliveries.number(delivery)),
    );
    this.choices = choices.map(() => new Int32Array(0));
    this.ticks = components.map(() => new Int32Array(0));
    this.due = components.map(() => []);
    this.#capacity = components.map(() => 0);
    this.#followers = components.map(() => []);
    for (const index of components.keys()) this.reserve(index);
  }

  /** Where a choice leads that has not been made in this local state before. */
  makeChoice(choice: number, local: number): number {
    const component = this.componentOfChoice[choice] as number;
    const deliver = this.#world.system.choices[choice]?.deliver ?? [];
    const entry = this.#entry(component, this.#space(component).receive(local, deliver));
    (this.choices[choice] as Int32Array)[local] = entry;
    return entry;
  }

  /** Where an event from another component leads. */
  receive(delivery: number, local: number): number {
    const known = this.known(delivery, local);
    if (known !== unknownStep) return known;
    const component = this.#deliveries.component(delivery);
    const entry = this.#entry(
      component,
      this.#space(component).receive(local, [this.#deliveries.delivery(delivery)]),
    );
    while (this.#incoming.length <= delivery) this.#incoming.push(new Int32Array(0));
    const column = grown(this.#incoming[delivery] as Int32Array, this.#capacity[component] as number);
    column[local] = entry;
    this.#incoming[delivery] = column;
    return entry;
  }

  /** Where an event from another component leads, if that has been made. */
  known(delivery: number, local: number): number {
    return this.#incoming[delivery]?.[local] ?? unknownStep;
  }

  /** The timers that are due in a local state. */
  dueTimers(component: number, local: number): readonly DueTimer[] {
    const known = this.due[component]?.[local];
    if (known !== undefined) return known;
    const tuple = this.#space(component).tuple(local);
    const found = this.#space(component).component.parts.flatMap((part, place) =>
      (this.#world.spaces[part]?.state(tuple[place] as number).timers ?? [])
        .filter(({ remaining }) => remaining === 0)
        .map(({ id }) => ({ part, timer: id, pick: this.#picks.timer(part, id), entry: unknownStep })),
    );
    (this.due[component] as (readonly DueTimer[])[])[local] = found;
    return found;
  }

  /** Where a due timer leads. */
  fire(component: number, local: number, due: DueTimer): number {
    if (due.entry === unknownStep) {
      due.entry = this.#entry(component, this.#space(component).fire(local, due.part, due.timer));
    }
    return due.entry;
  }

  /** Where a tick leads that has not been made in this local state before. */
  makeTick(component: number, local: number): number {
    const next = this.#space(component).tick(local);
    this.made += 1;
    this.reserve(component);
    (this.ticks[component] as Int32Array)[local] = next;
    return next;
  }

  /** The step behind an entry below {@link unknownStep}. */
  far(entry: number): FarStep {
    return this.#far[unknownStep - 1 - entry] as FarStep;
  }

  /** Makes a column as long as those of a component, now and whenever they grow. */
  grow(component: number, column: { next: Int32Array }): void {
    column.next = grown(column.next, this.#capacity[component] as number);
    this.#followers[component]?.push(column);
  }

  /** All steps with consequences outside their components, in the order of their numbers. */
  allFar(): readonly FarStep[] {
    return this.#far;
  }

  #space(component: number): ComponentSpace {
    return this.#spaces[component] as ComponentSpace;
  }

  #entry(component: number, step: ComponentStep): number {
    this.made += 1;
    this.reserve(component);
    for (const [part, transition] of step.took) this.#coverage?.took(part, transition);
    const effects = step.emissions.flatMap((emission) => this.#judge.effectsOf(emission));
    if (step.outgoing.length === 0 && effects.length === 0) return step.next;
    const { next, outgoing, received } = step;
    return unknownStep - this.#far.push({ next, outgoing, effects, received });
  }

  /** Makes the columns and rows of a component, and of those like it, as long as it has local states. */
  reserve(component: number): void {
    const siblings = this.#symmetry?.siblings(component);
    if (siblings === undefined) this.#reserveOne(component);
    else for (const each of siblings) this.#reserveOne(each);
  }

  #reserveOne(component: number): void {
    const size = this.#space(component).size;
    if (size <= (this.#capacity[component] as number)) return;
    const capacity = Math.max(64, 2 ** Math.ceil(Math.log2(size)));
    this.#capacity[component] = capacity;
    this.version += 1;
    this.#offers.reserve(component, capacity);
    for (const column of this.#followers[component] ?? []) column.next = grown(column.next, capacity);
    this.ticks[component] = grown(this.ticks[component] as Int32Array, capacity);
    for (const [choice, of] of this.componentOfChoice.entries()) {
      if (of === component) this.choices[choice] = grown(this.choices[choice] as Int32Array, capacity);
    }
  }
}

function grown(column: Int32Array, capacity: number): Int32Array {
  if (column.length >= capacity) return column;
  const fresh = new Int32Array(capacity).fill(unknownStep);
  fresh.set(column);
  return fresh;
}
