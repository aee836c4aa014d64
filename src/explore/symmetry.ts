/**
 * Components that can change places without anyone noticing: of equal machines, told of by equal choices, wired equally.
 *
 * States that differ only in which of them is where are one orbit, and the search needs to look at one state of each: the
 * one whose local states ascend. That this loses nothing is checked, not assumed. The choices and the processes are
 * compared when the symmetry is looked for, each answer of the wiring when it is first given, and a step in which two
 * components speak is refused, since then the order of the wiring's answers may matter.
 */
import type { EventObject } from 'xstate';
import type { World } from '../semantics/world.ts';
import { type Choice, type Component, type System, SystemError } from '../system.ts';

/** Components that can change places: their places in the system, ascending. */
export type SymmetryClass = readonly number[];

/** More orderings than this are not tried for a predicate or for a run. */
const orderingsMax = 5040;

/** The symmetry of a system. */
export class Symmetry {
  readonly classes: readonly SymmetryClass[];
  readonly #system: System;
  /** What the wiring was asked. */
  readonly #wired = new Set<string>();
  /** For each component: its class, or -1. */
  readonly #classOf: Int32Array;
  /** By component: its class, or undefined. */
  readonly #siblings: (SymmetryClass | undefined)[];

  private constructor(system: System, classes: readonly SymmetryClass[]) {
    this.#system = system;
    this.classes = classes;
    this.#classOf = new Int32Array(system.components.length).fill(-1);
    for (const [index, members] of classes.entries()) for (const each of members) this.#classOf[each] = index;
    this.#siblings = system.components.map((_, each) => classes[this.#classOf[each] as number]);
  }

  /**
   * Finds the symmetry of a system.
   *
   * @throws SystemError if it has none, with the reason
   */
  static of(world: World): Symmetry {
    const { system } = world;
    const byShape = new Map<string, number[]>();
    for (const [index, component] of system.components.entries()) {
      const shape = shapeOf(world, component);
      byShape.set(shape, [...(byShape.get(shape) ?? []), index]);
    }
    const candidates = [...byShape.values()].filter((members) => members.length > 1);
    if (candidates.length === 0) {
      throw refusal(system, 'no two components consist of the same machines with the same input');
    }
    const reasons: string[] = [];
    const classes = candidates.filter((members) => {
      const reason = whyNot(system, members);
      if (reason !== undefined) reasons.push(reason);
      return reason === undefined;
    });
    if (classes.length === 0) throw refusal(system, reasons.join('; '));
    for (const members of classes) {
      const orderings = members.reduce((product, _, place) => product * (place + 1), 1);
      if (orderings > orderingsMax)
        throw refusal(system, `${members.length} components are too many to order`);
    }
    return new Symmetry(system, classes);
  }

  /** The components that can change places with one, itself included; undefined if none can. */
  siblings(component: number): SymmetryClass | undefined {
    return this.#siblings[component];
  }

  /** The part that has a part's place in another component of the class. */
  counterpart(part: number, component: number): number {
    const { parts, components } = this.#system;
    const own = components[parts[part]?.component as number]?.parts.indexOf(part) as number;
    return components[component]?.parts[own] as number;
  }

  /** The places of the choices that a choice becomes when components change places, itself included. */
  counterparts(choice: Choice): readonly number[] {
    const own = orbitKey(this.#system, choice, this.#classOf);
    return [...this.#system.choices.keys()].filter(
      (place) => orbitKey(this.#system, this.#system.choices[place] as Choice, this.#classOf) === own,
    );
  }

  /** Puts the local states of each class in ascending order. */
  sort(locals: Int32Array): void {
    for (const members of this.classes) {
      for (let end = 1; end < members.length; end += 1) {
        for (let place = end; place > 0; place -= 1) {
          const lower = members[place - 1] as number;
          const upper = members[place] as number;
          const below = locals[lower] as number;
          const above = locals[upper] as number;
          if (below <= above) break;
          locals[lower] = above;
          locals[upper] = below;
        }
      }
    }
  }

  /** How many states an orbit has, by the state whose local states ascend. */
  orbitSize(locals: ArrayLike<number>): number {
    let size = 1;
    for (const members of this.classes) {
      let run = 0;
      for (let place = 0; place < members.length; place += 1) {
        const same = place > 0 && locals[members[place] as number] === locals[members[place - 1] as number];
        run = same ? run + 1 : 1;
        size = (size * (place + 1)) / run;
      }
    }
    return size;
  }

  /**
   * All ways to see a state in which some components are read: for each component the one whose local state is read in
   * its place. Ways that differ only in components that are not read are one.
   *
   * @param read - the components that are read
   * @param fixed - the component whose place is taken, and by which
   */
  views(read: readonly number[], fixed?: readonly [component: number, by: number]): Int32Array[] {
    const identity = Int32Array.from(this.#system.components, (_, each) => each);
    let views = [identity];
    const moving = read.filter((each) => this.#classOf[each] !== -1);
    const order = fixed === undefined ? moving : [fixed[0], ...moving.filter((each) => each !== fixed[0])];
    const placed: number[] = [];
    for (const component of order) {
      const members = this.siblings(component) ?? [component];
      const choices = component === fixed?.[0] ? [fixed[1]] : members;
      views = views.flatMap((view) =>
        choices
          .filter((by) => !placed.some((other) => view[other] === by))
          .map((by) => {
            const next = view.slice();
            next[component] = by;
            return next;
          }),
      );
      placed.push(component);
    }
    return views;
  }

  /** Looks at what the wiring answers: a part's counterpart must be answered likewise. */
  checkWiring(world: World, from: string, event: EventObject): void {
    const key = `${from} ${JSON.stringify(event)}`;
    if (this.#wired.has(key)) return;
    this.#wired.add(key);
    const system = this.#system;
    const part = system.partIndex(from);
    for (const members of this.classes) {
      for (let place = 1; place < members.length; place += 1) {
        const [lower, upper] = [members[place - 1] as number, members[place] as number];
        const swap = swapOf(system, lower, upper);
        const swapped = system.parts[swap(part)]?.name as string;
        const own = told(system, world.wired(from, event), swap);
        const other = told(system, world.wired(swapped, event), (each) => each);
        if (own === other) continue;
        const names = [lower, upper].map((each) => `'${system.components[each]?.name}'`);
        throw refusal(
          system,
          `if ${names.join(' and ')} change places, '${event.type}' from '${from}' is heard by others than before`,
        );
      }
    }
  }
}

/** The error for a system whose symmetry is asked for in vain. */
export function refusal(system: System, reason: string): SystemError {
  return new SystemError(
    `system '${system.id}': no symmetry: ${reason}. Check it without symmetry, or make the components alike.`,
  );
}

/** Two components of one shape remember their steps alike. */
function shapeOf(world: World, component: Component): string {
  const { parts } = world.system;
  return component.parts
    .map(
      (part) =>
        `${world.spaces.indexOf(world.spaces[part] as World['spaces'][number])} ${parts[part]?.process ?? ''}`,
    )
    .join('\n');
}

/** Why neighbours of a class cannot change places, if they can't. */
function whyNot(system: System, members: readonly number[]): string | undefined {
  for (const [id, { part }] of Object.entries(system.processes)) {
    const component = system.parts[system.partIndex(part)]?.component as number;
    if (members.includes(component))
      return `'${part}' pauses the process '${id}', and has counterparts that do not`;
  }
  const own = new Map(system.choices.map((choice) => [choiceKey(system, choice, (each) => each), choice.id]));
  for (let place = 1; place < members.length; place += 1) {
    const [lower, upper] = [members[place - 1] as number, members[place] as number];
    const swap = swapOf(system, lower, upper);
    const odd = system.choices.find((choice) => !own.has(choiceKey(system, choice, swap)));
    if (odd === undefined) continue;
    const names = [lower, upper].map((each) => `'${system.components[each]?.name}'`);
    return `if ${names.join(' and ')} change places, choice '${odd.id}' has no counterpart`;
  }
  return undefined;
}

/** Parts of two components change places. */
function swapOf(system: System, lower: number, upper: number): (part: number) => number {
  const below = system.components[lower]?.parts ?? [];
  const above = system.components[upper]?.parts ?? [];
  return (part) => {
    if (below.includes(part)) return above[below.indexOf(part)] as number;
    return above.includes(part) ? (below[above.indexOf(part)] as number) : part;
  };
}

function choiceKey(
  system: System,
  { deliver, urgent, fairness }: Choice,
  swap: (part: number) => number,
): string {
  return JSON.stringify([told(system, deliver, swap), urgent === true, fairness]);
}

/** What each component is told, in order; the order among components does not matter where one alone speaks. */
function told(
  system: System,
  deliveries: readonly { to: string; event: { type: string } }[],
  swap: (part: number) => number,
): string {
  const byComponent = new Map<number, string[]>();
  for (const { to, event } of deliveries) {
    const part = swap(system.partIndex(to));
    const component = system.parts[part]?.component as number;
    byComponent.set(component, [...(byComponent.get(component) ?? []), `${part} ${JSON.stringify(event)}`]);
  }
  return JSON.stringify([...byComponent].sort(([a], [b]) => a - b));
}

/** Choices with equal keys tell components of the same classes the same. */
function orbitKey(system: System, { deliver, urgent, fairness }: Choice, classOf: Int32Array): string {
  const heard = deliver.map(({ to, event }) => {
    const part = system.partIndex(to);
    const component = system.parts[part]?.component as number;
    const place = system.components[component]?.parts.indexOf(part);
    const where = (classOf[component] as number) < 0 ? `${part}` : `class ${classOf[component]} ${place}`;
    return `${where} ${JSON.stringify(event)}`;
  });
  return JSON.stringify([heard.sort(), urgent === true, fairness]);
}
