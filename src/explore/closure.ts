/**
 * Every step that a component can make in any surroundings, made before the search: a fixpoint over the components'
 * tables, each against everything that the others can send it. It bounds what a search can meet, so that states can be
 * numbered in advance, tables handed to another thread, and the system written in another checker's language.
 *
 * It is an upper bound: a component may have local states here that no run leads it to, and nothing that is said here
 * counts as having happened. If a machine is refused in one of those, there is no closure, and the search, which asks
 * only for what it meets, goes its way without.
 */
import { type Choice, SystemError } from '../system.ts';
import type { ComponentSpace } from './component-space.ts';
import type { Engine } from './engine.ts';
import type { Judge } from './judge.ts';
import { running } from './offers.ts';
import { Steps, unknownStep } from './steps.ts';

/** A component with more local states than this is not worth closing. */
const sizeMax = 200_000;

/** Local states looked at between two pauses. */
const pauseEvery = 16;

/** The steps of a closed system, all of them known. */
export interface Closure {
  /** By component and local state; entries of what a local state does not take are unknown. */
  readonly steps: Steps;
  /** For each component, how many local states it has. */
  readonly sizes: readonly number[];
}

/**
 * Closes a system. A generator, since it may take long; it returns why there is no closure, if there is none.
 *
 * @param judge - knows which effects matter
 */
export function* close(engine: Engine, judge: Judge = engine.judge): Generator<void, Closure | string> {
  try {
    return yield* new Closing(engine, judge).run();
  } catch (error) {
    if (error instanceof SystemError) return error.message;
    throw error;
  }
}

class Closing {
  readonly #engine: Engine;
  readonly #steps: Steps;
  /** For each component: its local states that are known to be possible. */
  readonly #known: Set<number>[];
  /** For each component: the deliveries that some other component can send it. */
  readonly #incoming: Set<number>[];
  /** Pairs of a component and a local state that have not been looked at. */
  readonly #todo: [component: number, local: number][] = [];
  /** For each component: the choices that deliver to it alone, and for the others the deliveries that it gets. */
  readonly #own: number[][];
  readonly #shared: number[][][];
  /** For each part: whether some other component may pause its process. */
  readonly #foreign: boolean[];

  constructor(engine: Engine, judge: Judge) {
    const { world, spaces, deliveries, offers, picks } = engine;
    this.#engine = engine;
    this.#steps = new Steps(world, spaces, deliveries, offers, picks, judge);
    this.#known = spaces.map(() => new Set());
    this.#incoming = spaces.map(() => new Set());
    this.#own = spaces.map(() => []);
    this.#shared = spaces.map(() => []);
    const { parts, processes } = world.system;
    this.#foreign = parts.map(({ process, component }) => {
      const pausing = process === undefined ? undefined : processes[process]?.part;
      return pausing !== undefined && parts[world.system.partIndex(pausing)]?.component !== component;
    });
    for (const [choice, component] of this.#steps.componentOfChoice.entries()) {
      if (component >= 0) this.#own[component]?.push(choice);
      else this.#share(this.#steps.joint[choice] as readonly number[]);
    }
  }

  *run(): Generator<void, Closure | string> {
    for (const [component, local] of this.#engine.initial.entries()) this.#meet(component, local);
    for (let looked = 0; this.#todo.length > 0; looked += 1) {
      const [component, local] = this.#todo.pop() as [number, number];
      this.#look(component, local);
      const size = this.#space(component).size;
      if (size > sizeMax) {
        return `component '${this.#space(component).component.name}' has more than ${sizeMax.toLocaleString('en')} local states in some surroundings`;
      }
      if (looked % pauseEvery === 0) yield;
    }
    return { steps: this.#steps, sizes: this.#engine.spaces.map(({ size }) => size) };
  }

  #share(joint: readonly number[]): void {
    const { deliveries } = this.#engine;
    for (const component of new Set(joint.map((delivery) => deliveries.component(delivery)))) {
      this.#shared[component]?.push(joint.filter((each) => deliveries.component(each) === component));
    }
  }

  #look(component: number, local: number): void {
    const { offers } = this.#engine;
    offers.describe(component, local);
    const urgent = this.#makeChoices(component, local);
    for (const joint of this.#shared[component] ?? []) this.#makeShared(component, local, joint);
    for (const delivery of this.#incoming[component] ?? []) this.#receive(component, local, delivery);
    const timers = this.#steps.dueTimers(component, local);
    for (const timer of timers) this.#follow(component, this.#steps.fire(component, local, timer));
    const due = timers.some(({ part }) => !this.#foreign[part] && !this.#pauses(component, local, part));
    if (!urgent && !due) this.#tick(component, local);
  }

  /** @returns whether a choice that no other component can block is urgent here */
  #makeChoices(component: number, local: number): boolean {
    let urgent = false;
    for (const choice of this.#own[component] ?? []) {
      if (this.#blocks(component, local, choice)) continue;
      const entry = this.#steps.makeChoice(choice, local);
      const next = this.#follow(component, entry);
      if (next === local) continue;
      const { urgent: isUrgent, deliver } = this.#engine.world.system.choices[choice] as Choice;
      urgent ||= isUrgent === true && deliver.every(({ to }) => !this.#foreign[this.#part(to)]);
    }
    return urgent;
  }

  #blocks(component: number, local: number, choice: number): boolean {
    return this.#bit(component, local, 1, choice);
  }

  #pauses(component: number, local: number, part: number): boolean {
    const { choiceWords, partWords } = this.#engine.offers;
    return this.#bit(component, local, 1 + choiceWords + partWords, part);
  }

  #bit(component: number, local: number, start: number, bit: number): boolean {
    const { rows, stride } = this.#engine.offers;
    const word = rows[component]?.[local * stride + start + (bit >> 5)] as number;
    return ((word >> (bit & 31)) & 1) === 1;
  }

  #part(name: string): number {
    return this.#engine.world.system.partIndex(name);
  }

  /** A choice that other components take part in: here it is what they are told that matters. */
  #makeShared(component: number, local: number, joint: readonly number[]): void {
    const { deliveries } = this.#engine;
    const space = this.#space(component);
    const takes = joint.every((delivery) => {
      const { to, event } = deliveries.delivery(delivery);
      return space.takes(local, this.#part(to), event);
    });
    if (!takes) return;
    let next = local;
    for (const delivery of joint) next = this.#receive(component, next, delivery);
  }

  #receive(component: number, local: number, delivery: number): number {
    return this.#follow(component, this.#steps.receive(delivery, local));
  }

  #tick(component: number, local: number): void {
    const { rows, stride } = this.#engine.offers;
    const flags = rows[component]?.[local * stride] as number;
    // Without a timer a component stays as it is, whatever the others' clocks do.
    const next = (flags & running) === 0 ? local : this.#steps.makeTick(component, local);
    if (next === local) (this.#steps.ticks[component] as Int32Array)[local] = local;
    this.#meet(component, next);
  }

  /** Notes where an entry leads and whom it tells. @returns the next local state */
  #follow(component: number, entry: number): number {
    if (entry >= 0) {
      this.#meet(component, entry);
      return entry;
    }
    if (entry === unknownStep) throw new Error('internal error: a step was not made');
    const { next, outgoing } = this.#steps.far(entry);
    this.#meet(component, next);
    for (const delivery of outgoing) this.#send(delivery);
    return next;
  }

  #send(delivery: number): void {
    const component = this.#engine.deliveries.component(delivery);
    const incoming = this.#incoming[component] as Set<number>;
    if (incoming.has(delivery)) return;
    incoming.add(delivery);
    for (const local of [...(this.#known[component] ?? [])]) this.#receive(component, local, delivery);
  }

  #meet(component: number, local: number): void {
    const known = this.#known[component] as Set<number>;
    if (known.has(local)) return;
    known.add(local);
    this.#todo.push([component, local]);
  }

  #space(component: number): ComponentSpace {
    return this.#engine.spaces[component] as ComponentSpace;
  }
}
