/**
 * The machines that decide, as running XState actors on real time: the watcher, the apply, and one cleanup for each
 * interface. They hear each other by the same wiring as in the model; what they say to the store and to the kernel goes to
 * whoever stands in for those.
 */
import {
  type Actor,
  type AnyActor,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type EventObject,
} from 'xstate';
import { type Design, machinesOf, type Parameter } from '../../models/index.ts';
import { heard } from '../../models/wiring.ts';
import { StepClock } from './step-clock.ts';
import type { Steps } from './steps.ts';

/** Names the part of the agent that decides about an interface. */
export const cleanupOf = (interfaceName: string): string => `cleanup[${interfaceName}]`;

/** The interface that a part decides about; none for the watcher and the apply. */
export const interfaceOfPart = (part: string): string | undefined => /^cleanup\[(.*)\]$/.exec(part)?.[1];

/** What a part of the agent said to what is not of the agent. */
export interface Said {
  /** The interface that the part decides about; none for the watcher and the apply. */
  readonly interfaceName?: string;
  readonly event: EventObject;
}

interface Running {
  readonly actor: AnyActor;
  readonly clock: StepClock;
  readonly emitted: EventObject[];
}

/** The actors of one agent. */
export class Actors {
  readonly #machines: Readonly<Record<'watcher' | 'apply' | 'cleanup', AnyStateMachine>>;
  readonly #steps: Steps;
  readonly #running = new Map<string, Running>();
  /** What an event makes the world answer at once, such as the routes that were listed. */
  readonly #answer: (said: Said) => readonly EventObject[];
  readonly #timerFired: (part: string, timer: string) => void;

  /**
   * @param design - its numbers are seconds
   * @param answer - told of everything that is said outside; its answers go to whoever said it, in the same step
   * @param timerFired - told when a timer has fired, and what followed is done
   */
  constructor(
    design: Design,
    steps: Steps,
    answer: (said: Said) => readonly EventObject[],
    timerFired: (part: string, timer: string) => void,
  ) {
    this.#timerFired = timerFired;
    const milliseconds = (name: Parameter): number => design.parameters[name] * 1000;
    this.#machines = machinesOf(design, milliseconds);
    this.#steps = steps;
    this.#answer = answer;
    this.#start('watcher', this.#machines.watcher);
    this.#start('apply', this.#machines.apply);
  }

  /** Whether there is such a part now. */
  has(part: string): boolean {
    return this.#running.has(part);
  }

  /** The state of a part. */
  snapshot(part: string): AnyMachineSnapshot {
    const running = this.#running.get(part);
    if (running === undefined) throw new Error(`internal error: the agent has no part '${part}'`);
    return running.actor.getSnapshot() as AnyMachineSnapshot;
  }

  /** The interfaces that are decided about. */
  interfaces(): string[] {
    return [...this.#running.keys()].flatMap((part) => interfaceOfPart(part) ?? []);
  }

  /** Begins to decide about an interface, if that has not begun. */
  open(interfaceName: string): void {
    const part = cleanupOf(interfaceName);
    if (!this.#running.has(part)) this.#start(part, this.#machines.cleanup);
  }

  /** Forgets an interface. */
  close(interfaceName: string): void {
    const part = cleanupOf(interfaceName);
    const running = this.#running.get(part);
    this.#running.delete(part);
    running?.clock.stop();
    running?.actor.stop();
  }

  /** Whether a part would do anything with an event of this type. */
  takes(part: string, type: string): boolean {
    return this.snapshot(part).can({ type } as AnyEventObject);
  }

  /** Delivers an event, and what follows from it within the agent. */
  deliver(part: string, event: EventObject): void {
    const queue: { readonly to: string; readonly event: EventObject }[] = [{ to: part, event }];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { to } = next;
      this.#running.get(to)?.actor.send(next.event as AnyEventObject);
      queue.push(...this.#spread(to));
    }
  }

  /** Stops all of them, and their timers. */
  stop(): void {
    for (const { actor, clock } of this.#running.values()) {
      clock.stop();
      actor.stop();
    }
    this.#running.clear();
  }

  /** Where what a part has said goes: to other parts of the agent, and to the world, whose answers come back. */
  #spread(from: string): { readonly to: string; readonly event: EventObject }[] {
    const running = this.#running.get(from);
    if (running === undefined) return [];
    const interfaceName = interfaceOfPart(from);
    return running.emitted.splice(0).flatMap((event) => {
      const inside = (heard[event.type] ?? []).flatMap((kind) =>
        kind === 'cleanup' ? this.interfaces().map(cleanupOf) : this.#running.has(kind) ? [kind] : [],
      );
      const answers = this.#answer(interfaceName === undefined ? { event } : { interfaceName, event });
      return [
        ...inside.map((to) => ({ to, event })),
        ...answers.map((answer) => ({ to: from, event: answer })),
      ];
    });
  }

  #start(part: string, machine: AnyStateMachine): void {
    const emitted: EventObject[] = [];
    let actor: Actor<AnyStateMachine> | undefined;
    const clock = new StepClock(
      this.#steps,
      () => {
        const scheduled = Object.values(actor?.system.getSnapshot()._scheduledEvents ?? {}).at(-1);
        return `${part}: ${scheduled?.id}`;
      },
      (name) => {
        for (const { to, event } of this.#spread(part)) this.deliver(to, event);
        this.#timerFired(part, name.slice(part.length + 2));
      },
    );
    actor = createActor(machine, { clock });
    actor.on('*', (event: EventObject) => emitted.push(event));
    this.#running.set(part, { actor, clock, emitted });
    actor.start();
    emitted.splice(0);
  }
}
