/**
 * What never happened in a search, split in two: what the design rules out, and what nothing rules out and yet never
 * happened. The second is text of the model that no run bears out, and no pass.
 *
 * Ruled out is what could happen if the machines' switches were free, and cannot with the values that the design gives
 * them: a guard that says no, a state that nothing leads to, an event that nobody sends. See {@link possible}.
 */
import { edgeText, ticksOf } from '../diagram/labels.ts';
import { statechart } from '../machine/statechart.ts';
import type { Part, System } from '../system.ts';
import { switchesOn } from './guard-values.ts';
import { possible, speaks } from './possible.ts';

/** A search that is to be judged. */
export interface Covered {
  readonly system: System;
  /** From the report of its check. */
  readonly uncovered: readonly string[];
  /** The same machines with every choice that any design or option offers; left out, the system itself. */
  readonly references?: readonly System[];
  /** Named guards that are constant in this system, besides switches. */
  readonly constants?: Readonly<Record<string, boolean>>;
}

/** What never happened, and what did. */
export interface Coverage {
  /** Transition ids, and `choice:<id>`, that happened. */
  readonly happened: readonly string[];
  /** The same for what never happened although nothing rules it out. */
  readonly uncovered: readonly string[];
  /** The same for what never happened because the design rules it out. */
  readonly offByDesign: readonly string[];
}

/**
 * Judges the searches of one design together: what happened in one of them, to one of several parts of the same
 * machine, has happened.
 */
export function coverage(searches: readonly Covered[]): Coverage {
  const happened = new Set<string>();
  const never = new Set<string>();
  const open = new Set<string>();
  for (const { system, uncovered, references = [system], constants = {} } of searches) {
    const missing = new Set(uncovered);
    const declared = declaredOff(system);
    const allowed = possible(system, { switches: 'held', constants });
    const conceivable = new Set(references.flatMap((each) => [...possible(each, { switches: 'free' })]));
    for (const name of namesOf(system)) {
      const id = idOf(name);
      if (!missing.has(name)) happened.add(id);
      else {
        never.add(id);
        if (!declared.has(id) && (allowed.has(name) || !conceivable.has(name))) open.add(id);
      }
    }
  }
  const left = [...never].filter((id) => !happened.has(id));
  return {
    happened: [...happened],
    uncovered: left.filter((id) => open.has(id)),
    offByDesign: left.filter((id) => !open.has(id)),
  };
}

/** What guards that are constant rule out, whatever the switches say. */
export function ruledOutBy(constants: Readonly<Record<string, boolean>>, system: System): Set<string> {
  const free = possible(system, { switches: 'free' });
  const left = new Set([...possible(system, { switches: 'free', constants })].map(idOf));
  return new Set([...free].map(idOf).filter((id) => !left.has(id)));
}

/**
 * Transitions whose author says, in `meta.ruledOutBy`, that a switch rules them out where no guard of theirs tells it:
 * by what another machine then does.
 */
function declaredOff({ parts }: System): Set<string> {
  const on = new Set(parts.flatMap(({ machine }) => switchesOn(machine)));
  return new Set(
    parts.flatMap(({ machine }) =>
      statechart(machine)
        .edges.filter(({ meta }) => {
          const by: unknown = meta?.ruledOutBy;
          return Array.isArray(by) && by.some((name) => on.has(name as string));
        })
        .map(({ id }) => id),
    ),
  );
}

function namesOf(system: System): string[] {
  return [
    ...system.parts
      .filter((part) => !onlyListens(part, system))
      .flatMap(({ name, machine }) => statechart(machine).edges.map(({ id }) => `${name}:${id}`)),
    ...system.choices.map(({ id }) => `choice:${id}`),
  ];
}

/** A stopwatch, a monitor: an instrument of a property whose alarm is meant to stay silent, and no part of the model. */
function onlyListens({ name, machine }: Part, { choices }: System): boolean {
  return !speaks(machine) && !choices.some(({ deliver }) => deliver.some(({ to }) => to === name));
}

/** A transition's id tells its machine, and which part took it does not matter; nor does a choice's endpoint. */
const idOf = (name: string): string =>
  name.startsWith('choice:') ? name.replace(/\[\d+\]$/, '') : name.slice(name.indexOf(':') + 1);

/** Says in words what never happened: `watcher.stale: connection.closed`. */
export function describeUncovered(id: string, system: System): string {
  if (id.startsWith('choice:')) {
    const choice = system.choices.find((each) => idOf(`choice:${each.id}`) === id);
    return `never offered: ${choice?.says ?? id.slice('choice:'.length)}`;
  }
  for (const { machine } of system.parts) {
    const edge = statechart(machine).edges.find((each) => each.id === id);
    if (edge !== undefined) return `${edge.source}: ${edgeText(edge, ticksOf(system.tickSeconds))}`;
  }
  return id;
}
