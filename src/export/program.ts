/**
 * A system as plain data: the tables of every step that it can make, as another checker's language needs them. They
 * are the search's own tables, closed before any search, so what is written from them is the very system that is
 * checked here.
 *
 * A step has two columns, by local state: where it leads, and what it says to other components.
 */
import type { Closure } from '../explore/closure.ts';
import type { Engine } from '../explore/engine.ts';
import { described, running } from '../explore/offers.ts';
import { unknownStep } from '../explore/steps.ts';

/** Where a step leads that cannot be made in that local state. */
export const impossible = -1;

/** A system as tables. */
export interface Program {
  readonly system: string;
  readonly components: readonly ProgramComponent[];
  readonly choices: readonly ProgramChoice[];
  readonly timers: readonly ProgramTimer[];
  /** The events that travel between components. */
  readonly deliveries: readonly ProgramDelivery[];
  /** What steps say to other components: places of deliveries, in order. The first is to say nothing. */
  readonly talks: readonly (readonly number[])[];
}

/** Parts that settle among themselves, as one variable. */
export interface ProgramComponent {
  readonly name: string;
  /** How many local states there are. */
  readonly size: number;
  readonly initial: number;
  /** By local state: where a tick leads. */
  readonly ticks: readonly number[];
  /** By local state: whether a timer runs that is not due. */
  readonly running: readonly boolean[];
  /** By local state: the numbers of its parts' states. */
  readonly tuples: readonly (readonly number[])[];
}

/** What keeps a pick from being offered, in another component than the one that it moves. */
export interface Blocker {
  readonly component: number;
  /** By local state: whether the pick is not offered. */
  readonly blocked: readonly boolean[];
}

/** A choice: either a move of one component, or deliveries to several. */
export interface ProgramChoice {
  readonly id: string;
  readonly says: string | undefined;
  readonly urgent: boolean;
  readonly move: Move | { readonly deliveries: readonly number[] };
  readonly blockers: readonly Blocker[];
}

/** A timer; it can move where it is due. */
interface ProgramTimer {
  readonly part: string;
  readonly timer: string;
  readonly move: Move;
  readonly blockers: readonly Blocker[];
}

/** What a pick does to one component. */
export interface Move {
  readonly component: number;
  /** By local state: the next one; impossible where the component itself does not offer the pick. */
  readonly next: readonly number[];
  /** By local state: what is said, as a place in {@link Program.talks}. */
  readonly talk: readonly number[];
}

/** An event on its way to a component. */
interface ProgramDelivery extends Move {
  /** The receiving part and the event, for a comment. */
  readonly says: string;
}

/** Whether a move says anything to other components anywhere. */
export const speaks = ({ talk }: Move): boolean => talk.some((each) => each !== 0);

/** Takes the tables out of an engine whose system has been closed. */
export function programOf(engine: Engine, closure: Closure): Program {
  return new Reading(engine, closure).program();
}

class Reading {
  readonly #engine: Engine;
  readonly #closure: Closure;
  readonly #talks: (readonly number[])[] = [[]];
  /** The places of what is said, by what it is. */
  readonly #talkPlaces = new Map<string, number>([['', 0]]);
  /** The places in the program of the engine's deliveries, in the order in which they were met. */
  readonly #deliveryPlaces = new Map<number, number>();
  readonly #deliveries: ProgramDelivery[] = [];
  /** Deliveries that may come in any local state, and have not been read. */
  readonly #unread: number[] = [];

  constructor(engine: Engine, closure: Closure) {
    this.#engine = engine;
    this.#closure = closure;
  }

  program(): Program {
    const { engine, made } = { engine: this.#engine, made: this.#closure.steps.made };
    const components = engine.spaces.map((_, component) => this.#component(component));
    const choices = engine.world.system.choices.map((_, choice) => this.#choice(choice));
    const timers = this.#timers();
    this.#readDeliveries();
    if (this.#closure.steps.made !== made) throw new Error('internal error: the tables were not closed');
    return {
      system: engine.world.system.id,
      components,
      choices,
      timers,
      deliveries: this.#deliveries,
      talks: this.#talks,
    };
  }

  #component(component: number): ProgramComponent {
    const { spaces, initial } = this.#engine;
    const ticks = this.#closure.steps.ticks[component] as Int32Array;
    return {
      name: spaces[component]?.component.name as string,
      size: this.#size(component),
      initial: initial[component] as number,
      // Where the closure found that time cannot pass, nothing is known and nothing will be asked.
      ticks: this.#byLocal(component, (local) =>
        ticks[local] === unknownStep ? local : (ticks[local] as number),
      ),
      tuples: this.#byLocal(component, (local) => spaces[component]?.tuple(local) as readonly number[]),
      running: this.#byLocal(component, (local) => (this.#word(component, local, 0) & running) !== 0),
    };
  }

  #choice(choice: number): ProgramChoice {
    const { steps } = this.#closure;
    const { id, says, urgent } = this.#engine.world.system.choices[choice] as { id: string } & {
      says?: string;
      urgent?: boolean;
    };
    const component = steps.componentOfChoice[choice] as number;
    const blockers = this.#blockers(component, (each, local) => this.#bit(each, local, 1, choice));
    const base = { id, says, urgent: urgent === true, blockers };
    if (component < 0) return { ...base, move: { deliveries: this.#together(choice) } };
    const column = steps.choices[choice] as Int32Array;
    const move = this.#move(component, (local) =>
      this.#bit(component, local, 1, choice) ? undefined : (column[local] as number),
    );
    return { ...base, move };
  }

  /** The deliveries of a choice to several components, each read where its component does not block the choice. */
  #together(choice: number): number[] {
    const { deliveries, spaces } = this.#engine;
    const { steps } = this.#closure;
    const joint = steps.joint[choice] as readonly number[];
    const mine: Map<number, Set<number>> = new Map();
    for (const component of spaces.keys()) {
      const open = this.#locals(component).filter((local) => !this.#bit(component, local, 1, choice));
      let reached = new Set(open);
      for (const delivery of joint) {
        if (deliveries.component(delivery) !== component) continue;
        mine.set(delivery, reached);
        reached = new Set([...reached].map((local) => this.#next(steps.receive(delivery, local))));
      }
    }
    return joint.map((delivery) => this.#choiceDelivery(delivery, mine.get(delivery) as Set<number>));
  }

  /**
   * A choice's own delivery, which need not be known in every local state. It gets a place of its own: the same event
   * may also come from another component, and then in any local state.
   */
  #choiceDelivery(delivery: number, locals: ReadonlySet<number>): number {
    return this.#deliveries.push(this.#delivery(delivery, (local) => locals.has(local))) - 1;
  }

  #timers(): ProgramTimer[] {
    const { steps } = this.#closure;
    const { spaces, world } = this.#engine;
    const found = new Map<number, { part: number; timer: string; component: number }>();
    for (const component of spaces.keys()) {
      for (const local of this.#locals(component)) {
        for (const { part, timer, pick } of steps.dueTimers(component, local)) {
          found.set(pick, { part, timer, component });
        }
      }
    }
    return [...found.entries()]
      .sort(([, a], [, b]) => a.part - b.part || (a.timer < b.timer ? -1 : 1))
      .map(([pick, { part, timer, component }]) => ({
        part: world.system.parts[part]?.name as string,
        timer,
        move: this.#move(component, (local) =>
          this.#pauses(component, local, part)
            ? undefined
            : steps.dueTimers(component, local).find((due) => due.pick === pick)?.entry,
        ),
        blockers: this.#blockers(component, (each, local) => this.#pauses(each, local, part)),
      }));
  }

  /** The components, other than one, in which some local state blocks. */
  #blockers(except: number, blocks: (component: number, local: number) => boolean): Blocker[] {
    return this.#engine.spaces.flatMap((_, component) => {
      if (component === except) return [];
      const blocked = this.#byLocal(component, (local) => blocks(component, local));
      return blocked.includes(true) ? [{ component, blocked }] : [];
    });
  }

  /**
   * The columns of a step.
   *
   * @param entryOf - the engine's entry in a local state; undefined where the step cannot be made
   */
  #move(component: number, entryOf: (local: number) => number | undefined): Move {
    const steps = this.#byLocal(component, (local) => {
      const entry = this.#known(component, local) ? entryOf(local) : undefined;
      if (entry === undefined) return { next: impossible, talk: 0 };
      if (entry === unknownStep) throw new Error('internal error: a step is missing from the tables');
      if (entry >= 0) return { next: entry, talk: 0 };
      const { next, outgoing } = this.#closure.steps.far(entry);
      return { next, talk: this.#talk(outgoing) };
    });
    return { component, next: steps.map(({ next }) => next), talk: steps.map(({ talk }) => talk) };
  }

  #talk(outgoing: readonly number[]): number {
    const said = outgoing.map((delivery) => this.#travelling(delivery));
    const key = said.join();
    const place = this.#talkPlaces.get(key) ?? this.#talks.push(said) - 1;
    this.#talkPlaces.set(key, place);
    return place;
  }

  #next(entry: number): number {
    return entry >= 0 ? entry : this.#closure.steps.far(entry).next;
  }

  /** The place of a delivery that may come in any local state. */
  #travelling(delivery: number): number {
    let place = this.#deliveryPlaces.get(delivery);
    if (place === undefined) {
      place = this.#deliveries.length;
      this.#deliveryPlaces.set(delivery, place);
      this.#deliveries.push({
        component: this.#engine.deliveries.component(delivery),
        next: [],
        talk: [],
        says: '',
      });
      this.#unread.push(delivery);
    }
    return place;
  }

  /** Reading a delivery may bring up others, so this ends when none is left. */
  #readDeliveries(): void {
    for (let delivery = this.#unread.pop(); delivery !== undefined; delivery = this.#unread.pop()) {
      this.#deliveries[this.#deliveryPlaces.get(delivery) as number] = this.#delivery(delivery, () => true);
    }
  }

  #delivery(delivery: number, wanted: (local: number) => boolean): ProgramDelivery {
    const component = this.#engine.deliveries.component(delivery);
    const { to, event } = this.#engine.deliveries.delivery(delivery);
    const move = this.#move(component, (local) =>
      wanted(local) ? this.#closure.steps.receive(delivery, local) : undefined,
    );
    return { ...move, says: `${to} receives ${JSON.stringify(event)}` };
  }

  #size(component: number): number {
    return this.#closure.sizes[component] as number;
  }

  #byLocal<T>(component: number, value: (local: number) => T): T[] {
    return Array.from({ length: this.#size(component) }, (_, local) => value(local));
  }

  #locals(component: number): number[] {
    return this.#byLocal(component, (local) => local).filter((local) => this.#known(component, local));
  }

  /** Whether the closure led here. A number may also have been given on the way into the first state. */
  #known(component: number, local: number): boolean {
    return (this.#word(component, local, 0) & described) !== 0;
  }

  #pauses(component: number, local: number, part: number): boolean {
    const { choiceWords, partWords } = this.#engine.offers;
    return this.#bit(component, local, 1 + choiceWords + partWords, part);
  }

  #bit(component: number, local: number, start: number, bit: number): boolean {
    return ((this.#word(component, local, start + (bit >> 5)) >> (bit & 31)) & 1) === 1;
  }

  #word(component: number, local: number, place: number): number {
    const { rows, stride } = this.#engine.offers;
    return rows[component]?.[local * stride + place] as number;
  }
}
