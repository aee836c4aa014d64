/**
 * What a system is: XState machines as parts, the wiring between them, the choices that the outside world
 * makes, and the fairness that may be assumed of each. Nothing here knows of routes or of etcd.
 *
 * How a system moves (the whole semantics, in six rules):
 * 1. A step is one choice, one due timer, or one tick of time. It runs to completion before the next. What machines emit
 *    on their way into their first states is delivered before the first step.
 * 2. A choice delivers one event or several to parts. It is offered when every receiver takes its event now.
 * 3. What a part emits (`emit`) is delivered by the wiring inside the same step, first in, first out. Parts of one
 *    component settle among themselves before anything they say leaves the component.
 * 4. Timers are XState's own `after` and delayed `raise`, in whole ticks. Time passes for every part at once, and only
 *    while some timer still runs.
 * 5. Time is urgent: it does not pass while a timer is due, nor while an urgent choice would change anything.
 * 6. Parts of a paused process take no choice and fire no timer; their timers run on and fire late. What other parts tell
 *    them reaches them all the same.
 */
import type { AnyStateMachine, EventObject } from 'xstate';

/** An event on its way to a part. */
export interface Delivery {
  /** The receiving part's name. */
  readonly to: string;
  /** The event, as XState's own `transition()` will receive it. */
  readonly event: EventObject;
}

/** A machine in the role that it plays in a system. */
export interface PartDefinition {
  /** Any XState v5 machine without actors of its own; parts talk by `emit`. */
  readonly machine: AnyStateMachine;
  /** What the machine's `context` function receives, if it has one. */
  readonly input?: unknown;
  /** The process that runs this part; see {@link ProcessDefinition}. */
  readonly process?: string;
  /** It only listens, for some property's sake. Stories leave it out unless the property reads it. */
  readonly observer?: boolean;
}

/** A process that can be paused: its parts then take nothing, and their timers come due late. */
export interface ProcessDefinition {
  /** The part whose state says whether the process is paused. It must not itself belong to the process. */
  readonly part: string;
  /** The process is paused while that part carries this XState tag. */
  readonly pausedTag: string;
}

/** How often an action that could happen must happen. */
export type FairnessKind =
  /** It is not for ever possible without happening. */
  | 'weak'
  /** It is not possible again and again without happening. */
  | 'strong';

/** Something that the world outside the machines may do. */
export interface Choice {
  /** Unique in the system: the action's name in traces, fairness and coverage. */
  readonly id: string;
  /** The events it delivers, in order. Offered only when each receiver takes its event in its present state. */
  readonly deliver: readonly Delivery[];
  /** Time does not pass while this choice is offered and would change anything. */
  readonly urgent?: boolean;
  /** What liveness may assume of this choice; nothing if left out. */
  readonly fairness?: FairnessKind;
  /** The fault of the catalogue that this choice is, if it is one. */
  readonly fault?: string;
  /** The sentence that a person reads in a trace. */
  readonly says?: string;
}

/**
 * Who hears what. Called once for each different (part, emitted event) and remembered, so it must be a pure
 * function: equal arguments, equal deliveries.
 */
export type Wiring = (from: string, event: EventObject) => readonly Delivery[];

/** A system as its author writes it. */
export interface SystemDefinition {
  /** Names the system in reports. */
  readonly id: string;
  /** The parts by name, in the order in which traces show them. */
  readonly parts: Readonly<Record<string, PartDefinition>>;
  /** Groups of parts that settle among themselves first. A part in no group is a component of its own. */
  readonly components?: Readonly<Record<string, readonly string[]>>;
  /** Who hears what. */
  readonly wiring: Wiring;
  /** What the outside may do, in the order in which equally short traces prefer it. */
  readonly choices: readonly Choice[];
  /** The processes that parts name in {@link PartDefinition.process}. */
  readonly processes?: Readonly<Record<string, ProcessDefinition>>;
  /** Seconds in one tick, for people's eyes only. Left out: time is shown in ticks. */
  readonly tickSeconds?: number;
}

/** A part of a {@link System}, in its place. */
export interface Part extends PartDefinition {
  /** Its name in the system. */
  readonly name: string;
  /** Its place in {@link System.parts}. */
  readonly index: number;
  /** The place of its component in {@link System.components}. */
  readonly component: number;
}

/** Parts that settle among themselves before the rest of the system hears of it. */
export interface Component {
  /** The group's name, or the part's if it stands alone. */
  readonly name: string;
  /** Its parts' places in {@link System.parts}, ascending. */
  readonly parts: readonly number[];
}

/** A system that has been looked over and can be stepped, checked and replayed. */
export interface System {
  /** Names the system in reports. */
  readonly id: string;
  /** The parts in their order. */
  readonly parts: readonly Part[];
  /** The components, in the order of their first parts. */
  readonly components: readonly Component[];
  /** The choices in their order. */
  readonly choices: readonly Choice[];
  /** Who hears what. */
  readonly wiring: Wiring;
  /** The processes by name. */
  readonly processes: Readonly<Record<string, ProcessDefinition>>;
  /** Seconds in one tick, if time has a unit. */
  readonly tickSeconds: number | undefined;
  /** The place of the part with this name. Throws {@link SystemError} if there is none. */
  partIndex(name: string): number;
}

/** A system that cannot be checked as it is written. The message names the place, what was found and the way out. */
export class SystemError extends Error {
  /** Always `SystemError`. */
  override name = 'SystemError';
}

/**
 * Looks a definition over and puts it in order.
 *
 * @param definition - the system as written
 * @returns the system; its machines have not been run yet
 * @throws {@link SystemError} for a part, process or choice that is named but not there, or named twice
 */
export function defineSystem(definition: SystemDefinition): System {
  const names = Object.keys(definition.parts);
  const place = (what: string): string => `system '${definition.id}', ${what}`;
  if (names.length === 0)
    throw new SystemError(`${place('parts')}: there are none. Name at least one machine.`);
  const known = (name: string, where: string): void => {
    if (!Object.hasOwn(definition.parts, name)) {
      throw new SystemError(
        `${place(where)}: there is no part '${name}'. The parts are ${names.join(', ')}.`,
      );
    }
  };
  const componentOf = groupParts(definition, names, known, place);
  const componentNames = [...new Set(names.map((name) => componentOf.get(name) ?? name))];
  const processes = definition.processes ?? {};
  const parts = names.map((name, index): Part => {
    const part = definition.parts[name] as PartDefinition;
    if (part.machine?.root === undefined) {
      throw new SystemError(
        `${place(`part '${name}'`)}: its machine is no XState v5 machine. Make one with setup().createMachine().`,
      );
    }
    if (part.process !== undefined && !Object.hasOwn(processes, part.process)) {
      throw new SystemError(
        `${place(`part '${name}'`)}: there is no process '${part.process}'. Declare it under 'processes'.`,
      );
    }
    return { ...part, name, index, component: componentNames.indexOf(componentOf.get(name) ?? name) };
  });
  for (const [id, process] of Object.entries(processes)) {
    known(process.part, `process '${id}'`);
    if (definition.parts[process.part]?.process === id) {
      throw new SystemError(
        `${place(`process '${id}'`)}: its own part '${process.part}' decides whether it is paused, so nothing could resume it. Let a part outside the process decide.`,
      );
    }
  }
  checkChoices(definition, known, place);
  const components = componentNames.map(
    (name, index): Component => ({
      name,
      parts: parts.filter((part) => part.component === index).map((part) => part.index),
    }),
  );
  return {
    id: definition.id,
    parts,
    components,
    choices: definition.choices,
    wiring: definition.wiring,
    processes,
    tickSeconds: definition.tickSeconds,
    partIndex: (name) => {
      known(name, 'a look-up');
      return names.indexOf(name);
    },
  };
}

function groupParts(
  definition: SystemDefinition,
  names: readonly string[],
  known: (name: string, where: string) => void,
  place: (what: string) => string,
): Map<string, string> {
  const componentOf = new Map<string, string>();
  for (const [group, members] of Object.entries(definition.components ?? {})) {
    if (names.includes(group) && !members.includes(group)) {
      throw new SystemError(
        `${place(`component '${group}'`)}: a part has the same name. Rename one of them.`,
      );
    }
    for (const member of members) {
      known(member, `component '${group}'`);
      const other = componentOf.get(member);
      if (other !== undefined) {
        throw new SystemError(
          `${place(`component '${group}'`)}: part '${member}' is already in '${other}'. A part is in one component.`,
        );
      }
      componentOf.set(member, group);
    }
  }
  return componentOf;
}

function checkChoices(
  definition: SystemDefinition,
  known: (name: string, where: string) => void,
  place: (what: string) => string,
): void {
  const seen = new Set<string>();
  for (const choice of definition.choices) {
    if (seen.has(choice.id)) {
      throw new SystemError(
        `${place(`choice '${choice.id}'`)}: there are two of that name. Rename one of them.`,
      );
    }
    seen.add(choice.id);
    if (choice.deliver.length === 0) {
      throw new SystemError(
        `${place(`choice '${choice.id}'`)}: it delivers nothing. Name a part and an event.`,
      );
    }
    for (const { to, event } of choice.deliver) {
      known(to, `choice '${choice.id}'`);
      if (typeof event?.type !== 'string') {
        throw new SystemError(
          `${place(`choice '${choice.id}'`)}: the event to '${to}' has no type. Write { type: 'something.happened' }.`,
        );
      }
    }
    const receivers = choice.deliver.map((delivery) => delivery.to);
    if (new Set(receivers).size !== receivers.length) {
      throw new SystemError(
        `${place(`choice '${choice.id}'`)}: one part would receive two events, and the second's offer would be judged before the first arrived. Use two choices, or one event.`,
      );
    }
  }
}
