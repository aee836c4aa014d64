/**
 * Plays a run with nothing but XState's own `transition()` on the machines as they were written: no copies, no
 * remembered steps, no packed states. What the engine reports is played here first, so a counterexample never rests
 * on the engine alone.
 */
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type EventObject,
  initialTransition,
  transition,
} from 'xstate';
import type { RunningTimer } from '../machine/local-space.ts';
import type { Reader } from '../property.ts';
import { deliveriesMax, describePick, type Emission, type Pick } from '../semantics/world.ts';
import { type Choice, type Delivery, type System, SystemError } from '../system.ts';

/** A global state during a replay: for each part, in the system's order. */
export interface ReplayedState {
  /** Each part's snapshot, in the system's order. */
  readonly snapshots: readonly AnyMachineSnapshot[];
  /** By id, ascending. */
  readonly timers: readonly (readonly RunningTimer[])[];
}

/** One step of a replay. */
export interface ReplayedStep {
  /** What was picked. */
  readonly pick: Pick;
  /** The state after the step. */
  readonly after: ReplayedState;
  /** What the parts emitted, in order. */
  readonly emissions: readonly Emission[];
}

/** A run as it was played. */
export interface Replay {
  /** The state before the first step. */
  readonly initial: ReplayedState;
  /** The steps in their order. */
  readonly steps: readonly ReplayedStep[];
}

/**
 * Plays a run from the first state.
 *
 * @throws SystemError at the first pick that is not offered
 */
export function replay(system: System, picks: readonly Pick[]): Replay {
  const player = new Player(system);
  const { initial } = player;
  const steps: ReplayedStep[] = [];
  let state = initial;
  for (const [index, pick] of picks.entries()) {
    const offered = player.picks(state);
    if (!offered.some((each) => samePick(each, pick))) {
      throw new SystemError(
        `system '${system.id}', step ${index + 1} of ${picks.length}: '${describePick(pick)}' is not offered there. Offered are ${offered.map(describePick).join(', ') || 'no steps at all'}.`,
      );
    }
    const step = player.step(state, pick);
    steps.push(step);
    state = step.after;
  }
  return { initial, steps };
}

/** Plays single steps. */
export class Player {
  readonly system: System;
  /** The state before the first step. */
  readonly initial: ReplayedState;

  constructor(system: System) {
    this.system = system;
    const snapshots: AnyMachineSnapshot[] = [];
    const timers: (readonly RunningTimer[])[] = [];
    const queue: Delivery[] = [];
    for (const part of system.parts) {
      const [snapshot, actions] = initialTransition(part.machine, part.input);
      const done = perform([], snapshot as AnyMachineSnapshot, actions as readonly ExecutableAction[]);
      snapshots.push(snapshot as AnyMachineSnapshot);
      timers.push(done.timers);
      for (const event of done.emitted) queue.push(...system.wiring(part.name, event));
    }
    this.initial = this.#run({ snapshots, timers }, queue, { kind: 'time' }).after;
  }

  /** Everything that may happen next, in the order in which the search prefers it. */
  picks(state: ReplayedState): Pick[] {
    const { system } = this;
    const { snapshots, timers } = state;
    const paused = system.parts.map(({ process }) => this.#paused(snapshots, process));
    const offered = system.choices.filter(({ deliver }) =>
      deliver.every(({ to, event }) => {
        const part = system.partIndex(to);
        return !paused[part] && takes(snapshots[part] as AnyMachineSnapshot, event);
      }),
    );
    const picks: Pick[] = offered.map(({ id }) => ({ kind: 'choice', id }));
    let due = false;
    for (const part of system.parts) {
      for (const { id, remaining } of timers[part.index] ?? []) {
        if (remaining > 0 || paused[part.index]) continue;
        due = true;
        picks.push({ kind: 'timer', part: part.name, timer: id });
      }
    }
    const running = timers.some((each) => each.some(({ remaining }) => remaining > 0));
    if (running && !due && !offered.some((choice) => choice.urgent && this.#changes(state, choice))) {
      picks.push({ kind: 'time' });
    }
    return picks;
  }

  #changes(state: ReplayedState, { id, deliver }: Choice): boolean {
    return stateKey(this.#run(state, deliver, { kind: 'choice', id }).after) !== stateKey(state);
  }

  /** Makes one step, which must be offered. */
  step(state: ReplayedState, pick: Pick): ReplayedStep {
    if (pick.kind === 'time') {
      const timers = state.timers.map((each) =>
        each.map((timer) => ({ ...timer, remaining: Math.max(0, timer.remaining - 1) })),
      );
      return { pick, after: { snapshots: state.snapshots, timers }, emissions: [] };
    }
    if (pick.kind === 'choice') {
      const choice = this.system.choices.find(({ id }) => id === pick.id);
      return this.#run(state, choice?.deliver ?? [], pick);
    }
    const part = this.system.partIndex(pick.part);
    const timer = state.timers[part]?.find(({ id }) => id === pick.timer);
    if (timer === undefined) throw new SystemError(`part '${pick.part}' has no timer '${pick.timer}'`);
    const timers = state.timers.map((each) => each.filter((other) => other !== timer));
    return this.#run({ snapshots: state.snapshots, timers }, [{ to: pick.part, event: timer.event }], pick);
  }

  #paused(snapshots: readonly AnyMachineSnapshot[], process: string | undefined): boolean {
    const definition = process === undefined ? undefined : this.system.processes[process];
    if (definition === undefined) return false;
    return (snapshots[this.system.partIndex(definition.part)] as AnyMachineSnapshot).hasTag(
      definition.pausedTag,
    );
  }

  #run(from: ReplayedState, deliveries: readonly Delivery[], pick: Pick): ReplayedStep {
    const { system } = this;
    const snapshots = [...from.snapshots];
    const timers = [...from.timers];
    const emissions: Emission[] = [];
    const outside = [...deliveries];
    for (let received = 0; outside.length > 0; ) {
      const inside = [outside.shift() as Delivery];
      while (inside.length > 0) {
        const { to, event } = inside.shift() as Delivery;
        const part = system.partIndex(to);
        if (snapshots[part]?.status !== 'active') continue;
        const [snapshot, actions] = transition(
          system.parts[part]?.machine as never,
          snapshots[part] as never,
          event as never,
        ) as unknown as [AnyMachineSnapshot, readonly ExecutableAction[]];
        const done = perform(timers[part] ?? [], snapshot, actions);
        snapshots[part] = snapshot;
        timers[part] = done.timers;
        for (const emitted of done.emitted) {
          emissions.push({ part: to, event: emitted });
          for (const delivery of system.wiring(to, emitted)) {
            const near =
              system.parts[system.partIndex(delivery.to)]?.component === system.parts[part]?.component;
            (near ? inside : outside).push(delivery);
          }
        }
        received += 1;
        if (received > deliveriesMax) {
          throw new SystemError(
            `system '${system.id}', '${describePick(pick)}': parts talk to each other without end`,
          );
        }
      }
    }
    return { pick, after: { snapshots, timers }, emissions };
  }
}

/** Reads the parts of a state that is being replayed. */
export function readerOf(system: System, { snapshots }: ReplayedState): Reader {
  return (name) => snapshots[system.partIndex(name)] as AnyMachineSnapshot;
}

/** A text that is equal for equal states. */
export function stateKey({ snapshots, timers }: ReplayedState): string {
  const plain = snapshots.map(({ value, context, status, historyValue }) => [
    value,
    context,
    status,
    Object.entries(historyValue as Record<string, { id: string }[]>).map(([id, nodes]) => [
      id,
      nodes.map((node) => node.id),
    ]),
  ]);
  return JSON.stringify([plain, timers], (_key, each: unknown) =>
    each === undefined ? '\u0000undefined' : each,
  );
}

/** Whether a machine takes an event. One that is done takes none, whatever its root says. */
export function takes(snapshot: AnyMachineSnapshot, event: EventObject): boolean {
  return snapshot.status === 'active' && snapshot.can(event as AnyEventObject);
}

/** Whether two picks are the same. */
export function samePick(a: Pick, b: Pick): boolean {
  if (a.kind === 'choice') return b.kind === 'choice' && a.id === b.id;
  if (a.kind === 'timer') return b.kind === 'timer' && a.part === b.part && a.timer === b.timer;
  return b.kind === 'time';
}

interface ExecutableAction {
  readonly type: string;
  readonly params?: unknown;
}

/** What one `transition()` does to a part's timers, and what it emits. A machine that is done has no timers any more. */
function perform(
  before: readonly RunningTimer[],
  { status }: AnyMachineSnapshot,
  actions: readonly ExecutableAction[],
): { timers: readonly RunningTimer[]; emitted: EventObject[] } {
  const timers = new Map(before.map((timer) => [timer.id, timer]));
  const emitted: EventObject[] = [];
  for (const { type, params } of actions) {
    if (type === 'xstate.emit') emitted.push((params as { event: EventObject }).event);
    if (type === 'xstate.cancel') timers.delete((params as { sendId: string }).sendId);
    if (type === 'xstate.raise') {
      const { event, id = event.type, delay } = params as { event: EventObject; id?: string; delay?: number };
      if (delay !== undefined) timers.set(id, { id, remaining: delay, event });
    }
  }
  if (status !== 'active') timers.clear();
  const byId = [...timers.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  return { timers: byId, emitted };
}
