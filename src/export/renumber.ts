/**
 * A program with its local states in another order: by the states of their parts, one part after another. Steps mostly
 * change one part, so in this order neighbours mostly do the same, and tables can be written as ranges.
 */
import type { Blocker, Move, Program, ProgramComponent } from './program.ts';

/** Puts the local states in order. */
export function inOrder(program: Program): Program {
  return new Renumbering(program).program();
}

class Renumbering {
  readonly #program: Program;
  /** For each component: the old numbers in their new order. */
  readonly #order: readonly (readonly number[])[];
  /** For each component: the new number of each old one. */
  readonly #rank: readonly (readonly number[])[];

  constructor(program: Program) {
    this.#program = program;
    this.#order = program.components.map(({ tuples }) =>
      [...tuples.keys()].sort((a, b) =>
        compare(tuples[a] as readonly number[], tuples[b] as readonly number[]),
      ),
    );
    this.#rank = this.#order.map((order) => {
      const rank: number[] = [];
      for (const [place, old] of order.entries()) rank[old] = place;
      return rank;
    });
  }

  program(): Program {
    const { system, components, choices, timers, deliveries, talks } = this.#program;
    return {
      system,
      talks,
      components: components.map((each, component) => this.#component(each, component)),
      choices: choices.map((choice) => ({
        ...choice,
        move: 'next' in choice.move ? this.#move(choice.move) : choice.move,
        blockers: choice.blockers.map((blocker) => this.#blocker(blocker)),
      })),
      timers: timers.map((timer) => ({
        ...timer,
        move: this.#move(timer.move),
        blockers: timer.blockers.map((blocker) => this.#blocker(blocker)),
      })),
      deliveries: deliveries.map((delivery) => ({ ...delivery, ...this.#move(delivery) })),
    };
  }

  #component(
    { name, size, initial, ticks, running, tuples }: ProgramComponent,
    component: number,
  ): ProgramComponent {
    return {
      name,
      size,
      initial: this.#renumber(component, initial),
      ticks: this.#sorted(component, ticks).map((next) => this.#renumber(component, next)),
      running: this.#sorted(component, running),
      tuples: this.#sorted(component, tuples),
    };
  }

  #move({ component, next, talk }: Move): Move {
    return {
      component,
      next: this.#sorted(component, next).map((each) => (each < 0 ? each : this.#renumber(component, each))),
      talk: this.#sorted(component, talk),
    };
  }

  #blocker({ component, blocked }: Blocker): Blocker {
    return { component, blocked: this.#sorted(component, blocked) };
  }

  #renumber(component: number, local: number): number {
    return this.#rank[component]?.[local] as number;
  }

  #sorted<T>(component: number, column: readonly T[]): T[] {
    return (this.#order[component] ?? []).map((old) => column[old] as T);
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  const place = a.findIndex((each, index) => each !== b[index]);
  return place < 0 ? 0 : (a[place] as number) - (b[place] as number);
}
