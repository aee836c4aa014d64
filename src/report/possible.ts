/**
 * What the text of a system allows to happen, whatever its runs do: a bound from above that is found by reading the
 * machines, not by running them. The coverage report needs it to tell what a design switches off from what merely
 * never happened.
 *
 * States are entered by transitions; transitions need an entered source, a guard that can be true, and an event that
 * somebody can send; events come from choices and from the emits of transitions. All three grow until nothing is new.
 * A guard that reads neither context nor event is a switch, and can be held to what it says.
 */
import type { AnyEventObject, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { transitionIds } from '../machine/statechart.ts';
import type { System } from '../system.ts';
import { type GuardReading, guardTerms, guardValue, type SwitchOptions } from './guard-values.ts';

/** A part, and what is known of it so far. */
interface Reading extends GuardReading {
  readonly name: string;
  readonly ids: ReadonlyMap<AnyTransitionDefinition, string>;
  readonly entered: Set<AnyStateNode>;
  readonly events: Set<string>;
}

/**
 * Everything that may happen: `<part>:<transition id>` and `choice:<id>`, as coverage names them.
 *
 * @param system - its machines are read and not run
 */
export function possible(system: System, options: SwitchOptions): Set<string> {
  const found = new Set<string>();
  const readings = system.parts.map(({ name, machine }): Reading => {
    const reading = {
      name,
      machine,
      ...options,
      ids: transitionIds(machine),
      entered: new Set<AnyStateNode>(),
      events: new Set<string>(),
    };
    enter(machine.root, reading);
    return reading;
  });
  const byName = new Map(readings.map((reading) => [reading.name, reading]));
  for (let size = -1; size !== sizeOf(found, readings); ) {
    size = sizeOf(found, readings);
    for (const { id, deliver } of system.choices) {
      const taken = deliver.every(({ to, event }) => canTake(byName.get(to) as Reading, event.type));
      if (!taken) continue;
      found.add(`choice:${id}`);
      for (const { to, event } of deliver) byName.get(to)?.events.add(event.type);
    }
    for (const reading of readings) {
      for (const type of followTransitions(reading, found)) send(system, reading, type, byName);
    }
  }
  return found;
}

const sizeOf = (found: ReadonlySet<string>, readings: readonly Reading[]): number =>
  readings.reduce((sum, { entered, events }) => sum + entered.size + events.size, found.size);

/** Takes every transition that is possible by now; returns the types of what it and the entered states may emit. */
function followTransitions(reading: Reading, found: Set<string>): Set<string> {
  const emitted = new Set<string>();
  for (const [transition, id] of reading.ids) {
    if (!arrives(transition, reading) || !canFire(transition, reading)) continue;
    found.add(`${reading.name}:${id}`);
    for (const target of transition.target ?? []) enter(target, reading);
    for (const type of emits(transition.actions, transition.eventType, reading.machine)) emitted.add(type);
  }
  for (const { entry, exit } of reading.entered) {
    for (const type of emits([...entry, ...exit], '', reading.machine)) emitted.add(type);
  }
  return emitted;
}

function canTake(reading: Reading, type: string): boolean {
  return [...reading.ids.keys()].some(
    (transition) => matches(transition.eventType, type) && canFire(transition, reading),
  );
}

/** Its source is entered and rests, its guard can be true, and nothing written before it always takes its event. */
function canFire(transition: AnyTransitionDefinition, reading: Reading): boolean {
  const { source, guard, eventType } = transition;
  if (!reading.entered.has(source)) return false;
  const terms = guardTerms(guard, reading);
  if (terms === undefined) return false;
  const siblings = eventType === '' ? (source.always ?? []) : (source.transitions.get(eventType) ?? []);
  const shadowed = siblings.slice(0, siblings.indexOf(transition)).some((earlier) => {
    const needed = guardTerms(earlier.guard, reading);
    return needed?.every((term) => terms.includes(term)) === true;
  });
  return !shadowed && (eventType === '' || !leftAtOnce(source, reading));
}

/** Whether a state is never rested in, because an `always` of it or around it leads out of it without condition. */
function leftAtOnce(node: AnyStateNode, reading: Reading): boolean {
  for (let around: AnyStateNode | undefined = node; around !== undefined; around = around.parent) {
    const leaves = around.always?.some(
      ({ guard, target }) => target !== undefined && guardValue(guard, reading) === true,
    );
    if (leaves === true) return true;
  }
  return false;
}

/** Whether something can set it off: a timer, the state itself, or an event that somebody sends. */
function arrives({ eventType }: AnyTransitionDefinition, { events }: Reading): boolean {
  if (eventType === '' || eventType.startsWith('xstate.')) return true;
  return [...events].some((type) => matches(eventType, type));
}

/** XState's own rule for `*` and `prefix.*`. */
function matches(descriptor: string, type: string): boolean {
  if (descriptor === '*' || descriptor === type) return true;
  return descriptor.endsWith('.*') && `${type}.`.startsWith(descriptor.slice(0, -1));
}

/** Enters a state, the states around it, and what is entered with them by default. */
function enter(node: AnyStateNode, reading: Reading, through?: AnyStateNode): void {
  if (node.type === 'history') {
    for (const target of node.parent?.initial?.target ?? []) enter(target, reading);
    return;
  }
  const known = reading.entered.has(node);
  reading.entered.add(node);
  if (node.parent !== undefined) enter(node.parent, reading, node);
  if (node.type === 'parallel' && !known) {
    for (const region of Object.values(node.states)) if (region !== through) enter(region, reading);
  }
  if (node.type === 'compound' && through === undefined && !known) {
    for (const target of node.initial.target) enter(target, reading);
  }
}

function send(system: System, from: Reading, type: string, byName: ReadonlyMap<string, Reading>): void {
  let receivers: Iterable<string> = byName.keys();
  try {
    receivers = system.wiring(from.name, { type }).map(({ to }) => to);
  } catch {
    // A wiring that needs the event's data: then anyone may hear it.
  }
  for (const name of receivers) byName.get(name)?.events.add(type);
}

/** Whether a machine ever says anything. */
export function speaks(machine: AnyStateMachine): boolean {
  const actions = [
    ...[...transitionIds(machine).keys()].flatMap((transition) => [
      transition.actions,
      transition.source.entry,
      transition.source.exit,
    ]),
    machine.root.entry,
    machine.root.exit,
  ].flat();
  return actions.some((action) => builtIn(action, machine).type === 'xstate.emit');
}

/** The types of the events that actions emit. One that computes its event is asked with the event that causes it. */
function emits(actions: readonly unknown[], cause: string, machine: AnyStateMachine): string[] {
  return actions.flatMap((action) => {
    const { type, event } = builtIn(action, machine);
    if (type !== 'xstate.emit') return [];
    return typeof event === 'function'
      ? computedType(event, cause, machine)
      : [(event as AnyEventObject).type];
  });
}

/** What XState's action creators leave on the functions that they return. */
interface BuiltIn {
  readonly type?: string;
  readonly event?: unknown;
}

function builtIn(action: unknown, machine: AnyStateMachine): BuiltIn {
  if (typeof action === 'function') return action as BuiltIn;
  const name = typeof action === 'string' ? action : (action as { type: string }).type;
  return (machine.implementations.actions[name] ?? {}) as BuiltIn;
}

function computedType(event: unknown, cause: string, machine: AnyStateMachine): string[] {
  try {
    const { context } = machine.getInitialSnapshot(null as never, {} as never);
    return [
      (event as (args: unknown, params: unknown) => AnyEventObject)({ context, event: { type: cause } }, {})
        .type,
    ];
  } catch {
    return [];
  }
}
