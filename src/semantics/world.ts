/**
 * The semantics of a system, written for reading: how a global state moves by one step. Replay uses it, and the fast
 * search is tested against it.
 *
 * A global state is one local state for each part. See {@link System} for the rules.
 */
import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';
import { LocalSpace } from '../machine/local-space.ts';
import type { Reader } from '../property.ts';
import { reasonOf } from '../reason-of.ts';
import { type Choice, type Delivery, type Part, type System, SystemError } from '../system.ts';

/** What was picked to make a step: enough to make it again. */
export type Pick = ChoicePick | TimerPick | TimePick;

/** A choice was made. */
export interface ChoicePick {
  /** Tells it from the other picks. */
  readonly kind: 'choice';
  /** The choice's id. */
  readonly id: string;
}

/** A due timer fired. */
export interface TimerPick {
  /** Tells it from the other picks. */
  readonly kind: 'timer';
  /** The part whose timer it is. */
  readonly part: string;
  /** XState's id of the timer. */
  readonly timer: string;
}

/** One tick passed. */
export interface TimePick {
  /** Tells it from the other picks. */
  readonly kind: 'time';
}

/** A global state: for each part, in the system's order, the number of its local state in its space. */
export type GlobalState = readonly number[];

/** An event that a part emitted during a step. */
export interface Emission {
  /** Who emitted it. */
  readonly part: string;
  /** What was emitted. */
  readonly event: EventObject;
}

/** One step and what it did. */
export interface Step {
  readonly pick: Pick;
  readonly next: GlobalState;
  /** In the order in which they were emitted. */
  readonly emissions: readonly Emission[];
  /** The transitions that were selected, as `<part>:<transition id>`. */
  readonly transitions: readonly string[];
}

/** A chain of events within one step that is longer than this is taken to be endless. */
export const deliveriesMax = 10_000;

/** A system with the remembered behaviour of its machines. */
export class World {
  readonly system: System;
  /** The local states of each part. Parts with the same machine object and input share one. */
  readonly spaces: readonly LocalSpace[];
  /** The state before the first step. */
  readonly initial: GlobalState;
  readonly #wired = new Map<string, readonly Delivery[]>();
  readonly #heard = new Map<string, WeakMap<EventObject, readonly Delivery[]>>();

  /**
   * @param spaces - what is remembered already of the machines of a system with the same parts
   * @throws SystemError if a machine cannot be checked soundly
   */
  constructor(system: System, spaces: readonly LocalSpace[] = spacesOf(system)) {
    this.system = system;
    this.spaces = spaces;
    const queue = system.parts.flatMap((part) =>
      this.space(part).initial.emitted.flatMap((event) => this.wired(part.name, event)),
    );
    this.initial = this.#run(
      this.spaces.map((space) => space.initial.next),
      queue,
      { kind: 'time' },
    ).next;
  }

  /** The local states of a part. */
  space(part: Part): LocalSpace {
    return this.spaces[part.index] as LocalSpace;
  }

  /** Where an emitted event goes. */
  wired(from: string, event: EventObject): readonly Delivery[] {
    let ofPart = this.#heard.get(from);
    if (ofPart === undefined) {
      ofPart = new WeakMap();
      this.#heard.set(from, ofPart);
    }
    let deliveries = ofPart.get(event);
    if (deliveries === undefined) {
      deliveries = this.#ask(from, event);
      ofPart.set(event, deliveries);
    }
    return deliveries;
  }

  /** The answer for equal events is the same, whichever object they are. */
  #ask(from: string, event: EventObject): readonly Delivery[] {
    const key = `${from} ${JSON.stringify(event)}`;
    let deliveries = this.#wired.get(key);
    if (deliveries === undefined) {
      deliveries = askWiring(this.system, from, event);
      for (const { to } of deliveries) this.system.partIndex(to);
      this.#wired.set(key, deliveries);
    }
    return deliveries;
  }

  /** The snapshot of a part in a global state. */
  snapshot(state: GlobalState, part: Part): AnyMachineSnapshot {
    return this.space(part).state(state[part.index] as number).snapshot;
  }

  /** Reads the parts of a global state by name; with `reads`, only those. */
  reader(state: GlobalState, reads?: readonly string[]): Reader {
    return (name) => {
      if (reads !== undefined && !reads.includes(name)) {
        throw new SystemError(`a condition reads part '${name}' without naming it. Add it to 'reads'.`);
      }
      return this.snapshot(state, this.system.parts[this.system.partIndex(name)] as Part);
    };
  }

  /** Whether a part's process is paused. */
  paused(state: GlobalState, part: Part): boolean {
    if (part.process === undefined) return false;
    const process = this.system.processes[part.process];
    if (process === undefined) return false;
    return this.snapshot(state, this.system.parts[this.system.partIndex(process.part)] as Part).hasTag(
      process.pausedTag,
    );
  }

  /** Whether a choice is offered: each receiver takes its event, and none is paused. */
  offers(state: GlobalState, choice: Choice): boolean {
    return choice.deliver.every(({ to, event }) => {
      const part = this.system.parts[this.system.partIndex(to)] as Part;
      return !this.paused(state, part) && this.space(part).deliver(state[part.index] as number, event).taken;
    });
  }

  /** Everything that may happen next: choices in their order, then due timers, then time. */
  picks(state: GlobalState): Pick[] {
    const offered = this.system.choices.filter((choice) => this.offers(state, choice));
    const picks: Pick[] = offered.map(({ id }) => ({ kind: 'choice', id }));
    let running = false;
    let due = false;
    for (const part of this.system.parts) {
      const paused = this.paused(state, part);
      for (const timer of this.space(part).state(state[part.index] as number).timers) {
        if (timer.remaining > 0) running = true;
        else if (!paused) {
          due = true;
          picks.push({ kind: 'timer', part: part.name, timer: timer.id });
        }
      }
    }
    if (running && !due && !offered.some((choice) => choice.urgent && this.#changes(state, choice))) {
      picks.push({ kind: 'time' });
    }
    return picks;
  }

  #changes(state: GlobalState, { id }: Choice): boolean {
    const { next } = this.step(state, { kind: 'choice', id });
    return next.some((local, index) => local !== state[index]);
  }

  /** Makes one step. The pick must be one of {@link World.picks}. */
  step(state: GlobalState, pick: Pick): Step {
    if (pick.kind === 'time') {
      const next = this.spaces.map((space, index) => space.tick(state[index] as number));
      return { pick, next, emissions: [], transitions: [] };
    }
    if (pick.kind === 'choice') {
      const choice = this.system.choices.find(({ id }) => id === pick.id);
      if (choice === undefined)
        throw new SystemError(`there is no choice '${pick.id}' in system '${this.system.id}'`);
      return this.#run(state, choice.deliver, pick);
    }
    const part = this.system.parts[this.system.partIndex(pick.part)] as Part;
    return this.#run(state, [{ to: pick.part, event: { type: '' } }], pick, part);
  }

  #run(state: GlobalState, deliveries: readonly Delivery[], pick: Pick, timerOf?: Part): Step {
    const next = [...state];
    const emissions: Emission[] = [];
    const transitions: string[] = [];
    const outside = [...deliveries];
    let firing = timerOf;
    for (let count = 0; outside.length > 0; ) {
      const inside = [outside.shift() as Delivery];
      while (inside.length > 0) {
        const { to, event } = inside.shift() as Delivery;
        const part = this.system.parts[this.system.partIndex(to)] as Part;
        const local = next[part.index] as number;
        const step =
          firing !== undefined && pick.kind === 'timer'
            ? this.space(part).fire(local, pick.timer)
            : this.space(part).deliver(local, event);
        firing = undefined;
        next[part.index] = step.next;
        for (const place of step.transitions)
          transitions.push(`${to}:${this.space(part).transitions[place]}`);
        for (const emitted of step.emitted) {
          emissions.push({ part: to, event: emitted });
          for (const delivery of this.wired(to, emitted)) {
            const receiver = this.system.parts[this.system.partIndex(delivery.to)] as Part;
            (receiver.component === part.component ? inside : outside).push(delivery);
          }
        }
        count += 1;
        if (count > deliveriesMax) {
          throw new SystemError(
            `system '${this.system.id}', ${describePick(pick)}: parts still talk to each other after ${deliveriesMax.toLocaleString('en')} events, the last being '${event.type}' to '${to}'. Break the circle in the wiring or with a guard.`,
          );
        }
      }
    }
    return { pick, next, emissions, transitions };
  }
}

function spacesOf({ parts }: System): LocalSpace[] {
  const shared = new Map<AnyStateMachine, Map<string, LocalSpace>>();
  return parts.map((part) => {
    const byInput = shared.get(part.machine) ?? new Map<string, LocalSpace>();
    shared.set(part.machine, byInput);
    const key = JSON.stringify(part.input) ?? '';
    const space = byInput.get(key) ?? new LocalSpace(part.machine, part.input, `part '${part.name}'`);
    byInput.set(key, space);
    return space;
  });
}

/** Asks the wiring, and names it where what it throws or gives is no list of deliveries. */
function askWiring({ id, wiring }: System, from: string, event: EventObject): readonly Delivery[] {
  const where = `system '${id}', wiring of '${event.type}' from '${from}'`;
  let given: unknown;
  try {
    given = wiring(from, event);
  } catch (error) {
    throw new SystemError(`${where}: it threw "${reasonOf(error)}". Mend the wiring.`);
  }
  if (!Array.isArray(given)) {
    throw new SystemError(
      `${where}: it gave ${String(given)}. Give a list of deliveries, empty if nobody hears it.`,
    );
  }
  return given as readonly Delivery[];
}

/** Names a pick, for messages and traces. */
export function describePick(pick: Pick): string {
  if (pick.kind === 'choice') return pick.id;
  return pick.kind === 'time' ? 'time' : `${pick.part}: ${pick.timer}`;
}
