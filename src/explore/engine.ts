/**
 * Puts together what a search of one system needs: the reference world for its remembered machines, the numbered
 * components, the remembered steps, and the expander that makes steps of packed states.
 */
import type { Property } from '../property.ts';
import { World } from '../semantics/world.ts';
import type { System } from '../system.ts';
import { ComponentSpace, Tuples } from './component-space.ts';
import { Coverage } from './coverage.ts';
import { Deliveries } from './deliveries.ts';
import { Expander } from './expander.ts';
import { Judge } from './judge.ts';
import { type Layout, layOut } from './layout.ts';
import { Offers } from './offers.ts';
import { PickNumbers } from './picks.ts';
import { Steps } from './steps.ts';
import type { Symmetry } from './symmetry.ts';

/** The machinery of one check. */
export class Engine {
  readonly world: World;
  readonly symmetry: Symmetry | undefined;
  readonly coverage: Coverage;
  readonly spaces: readonly ComponentSpace[];
  readonly picks: PickNumbers;
  readonly judge: Judge;
  readonly deliveries: Deliveries;
  readonly offers: Offers;
  readonly steps: Steps;
  readonly expander: Expander;
  /** The first state: a local state for each component. */
  readonly initial: readonly number[];

  /**
   * @param world - what is remembered of the system's machines already
   * @param symmetry - one state of each orbit is looked at, if components can change places
   * @throws SystemError if a machine cannot be checked soundly, or if a property names what is not there
   */
  constructor(
    system: System,
    properties: readonly Property[],
    world: World = new World(system),
    symmetry?: Symmetry,
  ) {
    this.symmetry = symmetry;
    this.world = world;
    this.coverage = new Coverage(world, symmetry);
    this.picks = new PickNumbers(system);
    const deliveries = new Deliveries(system);
    this.deliveries = deliveries;
    const tuples = system.components.map(() => new Tuples());
    this.spaces = system.components.map((component, index) => {
      const own = tuples[symmetry?.siblings(index)?.[0] ?? index];
      return new ComponentSpace(world, component, deliveries, own, symmetry);
    });
    this.initial = this.#start(deliveries);
    this.judge = new Judge(world, this.spaces, properties, symmetry);
    this.offers = new Offers(world, this.spaces);
    this.steps = new Steps(
      world,
      this.spaces,
      deliveries,
      this.offers,
      this.picks,
      this.judge,
      this.coverage,
      symmetry,
    );
    this.expander = new Expander(
      world,
      this.spaces,
      deliveries,
      this.offers,
      this.steps,
      this.coverage.offered,
      this.layout(),
      symmetry,
    );
  }

  /** A layout for the local states that are known now. */
  layout(): Layout {
    return layOut(this.spaces.map((space) => space.size));
  }

  /** What the machines emit on their way into their first states is delivered before the first step. */
  #start(deliveries: Deliveries): number[] {
    const { world, spaces } = this;
    const { parts, components } = world.system;
    const locals = components.map(
      (component, index) =>
        spaces[index]?.intern(
          component.parts.map((part) => world.spaces[part]?.initial.next as number),
        ) as number,
    );
    const queue: number[] = [];
    for (const part of parts) {
      const { emitted, transitions } = world.space(part).initial;
      for (const transition of transitions) this.coverage.took(part.index, transition);
      for (const event of emitted) {
        for (const delivery of world.wired(part.name, event)) queue.push(deliveries.number(delivery));
      }
    }
    for (let read = 0; read < queue.length; read += 1) {
      const delivery = queue[read] as number;
      const component = deliveries.component(delivery);
      const step = spaces[component]?.receive(locals[component] as number, [deliveries.delivery(delivery)]);
      if (step === undefined) continue;
      for (const [part, transition] of step.took) this.coverage.took(part, transition);
      locals[component] = step.next;
      queue.push(...step.outgoing);
    }
    return locals;
  }
}
