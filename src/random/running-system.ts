/**
 * A system as running XState actors, one for each part, under XState's own interpreter: the second pair of eyes. Nothing is
 * remembered here and nothing is packed; what a machine does is what its actor does.
 */
import {
  type AnyActor,
  type AnyEventObject,
  type AnyMachineSnapshot,
  createActor,
  type EventObject,
} from 'xstate';
import { reasonOf } from '../reason-of.ts';
import { deliveriesMax, describePick, type Emission, type Pick } from '../semantics/world.ts';
import { type Delivery, type Part, type System, SystemError } from '../system.ts';
import { type ReplayedState, takes } from '../trace/replay.ts';
import { HeldClock } from './held-clock.ts';

interface RunningPart {
  readonly actor: AnyActor;
  readonly clock: HeldClock;
  /** What it has emitted since it was last asked. */
  readonly emitted: EventObject[];
  failure?: unknown;
}

/** The actors of one run. */
export class RunningSystem {
  /** What is walked. */
  readonly system: System;
  readonly #parts: readonly RunningPart[];
  readonly #wired: Map<string, readonly Delivery[]>;

  /**
   * @param wired - what the wiring has answered in earlier runs of the same system; it is a function, so it answers the same
   */
  constructor(system: System, wired = new Map<string, readonly Delivery[]>()) {
    this.system = system;
    this.#wired = wired;
    this.#parts = system.parts.map(start);
    const queue: Delivery[] = [];
    for (const part of system.parts)
      queue.push(...this.#hear(part).flatMap((event) => this.#wiredTo(part, event)));
    this.#run(queue, 'the start');
  }

  /** Where the run is. */
  state(): ReplayedState {
    return {
      snapshots: this.#parts.map(({ actor }) => actor.getSnapshot() as AnyMachineSnapshot),
      timers: this.#parts.map(({ clock }) => clock.timers()),
    };
  }

  /** The snapshot of a part. */
  snapshot(name: string): AnyMachineSnapshot {
    return this.#part(name).actor.getSnapshot() as AnyMachineSnapshot;
  }

  /**
   * Makes a step. Whether urgent choices allow time to pass is not looked at.
   *
   * @returns what the parts emitted, in order
   * @throws SystemError if the running actors do not offer it
   */
  step(pick: Pick): Emission[] {
    if (pick.kind === 'time') return this.#passTime();
    if (pick.kind === 'choice') {
      const choice = this.system.choices.find(({ id }) => id === pick.id);
      for (const { to, event } of choice?.deliver ?? []) {
        if (this.#paused(to)) throw this.#notOffered(pick, `'${to}' is paused`);
        if (!takes(this.snapshot(to), event))
          throw this.#notOffered(pick, `'${to}' does not take '${event.type}'`);
      }
      return this.#run(choice?.deliver ?? [], pick.id);
    }
    if (this.#paused(pick.part)) throw this.#notOffered(pick, `'${pick.part}' is paused`);
    if (!this.#part(pick.part).clock.fire(pick.timer)) throw this.#notOffered(pick, 'no such timer is due');
    const part = this.system.parts[this.system.partIndex(pick.part)] as Part;
    return this.#run([], describePick(pick), part);
  }

  /** Stops the actors. */
  stop(): void {
    for (const { actor } of this.#parts) actor.stop();
  }

  #passTime(): Emission[] {
    let running = false;
    for (const [index, { clock }] of this.#parts.entries()) {
      const { name } = this.system.parts[index] as Part;
      for (const { id, remaining } of clock.timers()) {
        if (remaining > 0) running = true;
        else if (!this.#paused(name))
          throw this.#notOffered({ kind: 'time' }, `timer '${id}' of '${name}' is due`);
      }
    }
    if (!running) throw this.#notOffered({ kind: 'time' }, 'no timer runs');
    for (const { clock } of this.#parts) clock.pass(1);
    return [];
  }

  #notOffered(pick: Pick, why: string): SystemError {
    return new SystemError(
      `system '${this.system.id}': the running actors do not offer '${describePick(pick)}': ${why}.`,
    );
  }

  #part(name: string): RunningPart {
    return this.#parts[this.system.partIndex(name)] as RunningPart;
  }

  #paused(name: string): boolean {
    const { process } = this.system.parts[this.system.partIndex(name)] as Part;
    const definition = process === undefined ? undefined : this.system.processes[process];
    return definition !== undefined && this.snapshot(definition.part).hasTag(definition.pausedTag);
  }

  /** What a part has emitted since it was last asked. */
  #hear({ name, index }: Part): EventObject[] {
    const part = this.#parts[index] as RunningPart;
    if (part.failure !== undefined) {
      const { failure } = part;
      throw new SystemError(
        `system '${this.system.id}', part '${name}': its actor failed: ${reasonOf(failure)}`,
      );
    }
    return part.emitted.splice(0);
  }

  #wiredTo({ name }: Part, event: EventObject): readonly Delivery[] {
    const key = `${name} ${JSON.stringify(event)}`;
    const known = this.#wired.get(key);
    if (known !== undefined) return known;
    const deliveries = this.system.wiring(name, event);
    this.#wired.set(key, deliveries);
    return deliveries;
  }

  /** Delivers, until nobody has anything to say. */
  #run(deliveries: readonly Delivery[], what: string, fired?: Part): Emission[] {
    const { system } = this;
    const emissions: Emission[] = [];
    const outside = [...deliveries];
    const inside: Delivery[] = [];
    const spread = (part: Part): void => {
      for (const event of this.#hear(part)) {
        emissions.push({ part: part.name, event });
        for (const delivery of this.#wiredTo(part, event)) {
          const receiver = system.parts[system.partIndex(delivery.to)] as Part;
          (receiver.component === part.component ? inside : outside).push(delivery);
        }
      }
    };
    if (fired !== undefined) spread(fired);
    for (let received = 0; inside.length > 0 || outside.length > 0; received += 1) {
      if (received > deliveriesMax)
        throw new SystemError(
          `system '${system.id}', ${what}: parts still talk to each other after ${deliveriesMax.toLocaleString('en')} events.`,
        );
      const { to, event } = (inside.shift() ?? outside.shift()) as Delivery;
      const part = system.parts[system.partIndex(to)] as Part;
      const { actor } = this.#parts[part.index] as RunningPart;
      if (actor.getSnapshot().status === 'active') actor.send(event as AnyEventObject);
      spread(part);
    }
    return emissions;
  }
}

function start({ machine, input }: Part): RunningPart {
  const emitted: EventObject[] = [];
  let actor: AnyActor | undefined;
  const clock = new HeldClock(() => {
    const scheduled = Object.values(actor?.system.getSnapshot()._scheduledEvents ?? {});
    return scheduled.at(-1) as { id: string; event: EventObject };
  });
  actor = createActor(machine, { clock, input: input as never });
  const part: RunningPart = { actor, clock, emitted };
  actor.on('*', (event: EventObject) => emitted.push(event));
  actor.subscribe({
    error: (failure) => {
      part.failure = failure;
    },
  });
  actor.start();
  return part;
}
