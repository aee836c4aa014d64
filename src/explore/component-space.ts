/**
 * One component's local states, as small integers, and what each event does to the component as a whole.
 *
 * The parts of a component settle among themselves before anything they say leaves it. So a component is one bigger
 * machine: its state is the tuple of its parts' local states, and a run of it ends with a new tuple and the events
 * that go to others. Both are numbered here, and the engine remembers runs by number. With parts `a` in 3 and `b` in
 * 5, the tuple [3, 5] may be local state 17; the run "a receives GO" may lead from 17 to 21 and leave [#4] to deliver.
 */
import type { EventObject } from 'xstate';
import { deliveriesMax, type Emission, type World } from '../semantics/world.ts';
import type { Component, Delivery } from '../system.ts';
import { SystemError } from '../system.ts';
import type { Deliveries } from './deliveries.ts';
import type { Symmetry } from './symmetry.ts';

/** What a component does between receiving events and having settled. */
export interface ComponentStep {
  /** The component's local state afterwards. */
  readonly next: number;
  /** The numbers of the deliveries that leave the component, in order. */
  readonly outgoing: readonly number[];
  /** Everything that its parts emitted, in order. */
  readonly emissions: readonly Emission[];
  /** How many events its parts received. */
  readonly received: number;
  /** The transitions that its parts took: by part, the place in `LocalSpace.transitions`. */
  readonly took: readonly (readonly [part: number, transition: number])[];
}

/** A component with more local states than this would need more memory for itself than for the search. */
const combinedMax = 1_000_000;

/** Numbers for tuples of local states. Components that can change places share them. */
export class Tuples {
  readonly #tuples: (readonly number[])[] = [];
  readonly #numbers = new Map<string, number>();

  /** How many tuples there are. */
  get size(): number {
    return this.#tuples.length;
  }

  /** The number of a tuple; -1 if it is new and there are as many as may be. */
  intern(tuple: readonly number[], max: number): number {
    const key = tuple.join(' ');
    let number = this.#numbers.get(key);
    if (number === undefined) {
      if (this.#tuples.length >= max) return -1;
      number = this.#tuples.push(tuple) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** The tuple with this number, if there is one. */
  at(number: number): readonly number[] | undefined {
    return this.#tuples[number];
  }
}

/** The numbered local states of one component. */
export class ComponentSpace {
  /** The component. */
  readonly component: Component;
  readonly #world: World;
  readonly #deliveries: Deliveries;
  readonly #tuples: Tuples;
  readonly #symmetry: Symmetry | undefined;
  /** For each part of the system, its place in the tuple, or -1. */
  readonly #placeOf: readonly number[];

  /**
   * @param tuples - its numbers, if it shares them
   * @param symmetry - looks at what the wiring answers, if components can change places
   */
  constructor(
    world: World,
    component: Component,
    deliveries: Deliveries,
    tuples = new Tuples(),
    symmetry?: Symmetry,
  ) {
    this.component = component;
    this.#tuples = tuples;
    this.#symmetry = symmetry;
    this.#world = world;
    this.#deliveries = deliveries;
    this.#placeOf = world.system.parts.map((part) => component.parts.indexOf(part.index));
  }

  /** How many local states are known so far. */
  get size(): number {
    return this.#tuples.size;
  }

  /** The number of a tuple: one local state for each part of the component. */
  intern(tuple: readonly number[]): number {
    const number = this.#tuples.intern(tuple, combinedMax);
    if (number < 0) throw this.#tooMany();
    return number;
  }

  /** The local states of the component's parts. */
  tuple(local: number): readonly number[] {
    const tuple = this.#tuples.at(local);
    if (tuple === undefined)
      throw new RangeError(`component '${this.component.name}' has no local state ${local}`);
    return tuple;
  }

  /** The local state of one of the component's parts. */
  partLocal(local: number, part: number): number {
    return this.tuple(local)[this.#placeOf[part] as number] as number;
  }

  /** Whether a part takes an event in its present state. */
  takes(local: number, part: number, event: EventObject): boolean {
    return this.#world.spaces[part]?.deliver(this.partLocal(local, part), event).taken ?? false;
  }

  /** What a sequence of deliveries to this component does; it settles after each. */
  receive(local: number, deliveries: readonly Delivery[]): ComponentStep {
    return this.#settle(local, deliveries);
  }

  /** What happens when a part's due timer fires. */
  fire(local: number, part: number, timer: string): ComponentStep {
    const to = this.#world.system.parts[part]?.name ?? '';
    return this.#settle(local, [{ to, event: { type: timer } }], timer);
  }

  /** The local state one tick later. */
  tick(local: number): number {
    const tuple = this.tuple(local);
    return this.intern(
      this.component.parts.map((part, place) => this.#tickPart(part, tuple[place] as number)),
    );
  }

  #tooMany(): SystemError {
    const { name, parts } = this.component;
    const { system, spaces } = this.#world;
    const sizes = parts.map(
      (part) => `${system.parts[part]?.name} ${spaces[part]?.size.toLocaleString('en')}`,
    );
    return new SystemError(
      `system '${system.id}', component '${name}': its parts have more than ${combinedMax.toLocaleString('en')} local states together (${sizes.join(', ')}). Group fewer parts, or keep less in their contexts.`,
    );
  }

  #tickPart(part: number, local: number): number {
    const space = this.#world.spaces[part];
    return space === undefined || space.state(local).timers.length === 0 ? local : space.tick(local);
  }

  #settle(local: number, deliveries: readonly Delivery[], timer?: string): ComponentStep {
    const { system, spaces } = this.#world;
    const tuple = [...this.tuple(local)];
    const emissions: Emission[] = [];
    const outgoing: number[] = [];
    const took: [number, number][] = [];
    let firing = timer;
    let received = 0;
    for (const delivery of deliveries) {
      const inside = [delivery];
      for (let read = 0; read < inside.length; read += 1) {
        const { to, event } = inside[read] as Delivery;
        const part = system.partIndex(to);
        const place = this.#placeOf[part] as number;
        const space = spaces[part];
        if (space === undefined) throw new RangeError(`there is no part ${part}`);
        const before = tuple[place] as number;
        const step = firing === undefined ? space.deliver(before, event) : space.fire(before, firing);
        firing = undefined;
        tuple[place] = step.next;
        for (const transition of step.transitions) took.push([part, transition]);
        for (const emitted of step.emitted) {
          emissions.push({ part: to, event: emitted });
          this.#symmetry?.checkWiring(this.#world, to, emitted);
          for (const wired of this.#world.wired(to, emitted)) {
            if ((this.#placeOf[system.partIndex(wired.to)] as number) >= 0) inside.push(wired);
            else outgoing.push(this.#deliveries.number(wired));
          }
        }
        received += 1;
        if (received > deliveriesMax) throw endlessTalk(system.id, to, event);
      }
    }
    return { next: this.intern(tuple), outgoing, emissions, received, took };
  }
}

/** The error for parts that never stop talking to each other within one step. */
export function endlessTalk(system: string, to: string, event: EventObject): SystemError {
  return new SystemError(
    `system '${system}': within one step, parts still talk to each other after ${deliveriesMax.toLocaleString('en')} events, the last being '${event.type}' to '${to}'. Break the circle in the wiring or with a guard.`,
  );
}
