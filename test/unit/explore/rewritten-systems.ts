/** Systems that are the same in all but how they are written. */
import { type AnyStateMachine, createMachine } from 'xstate';
import type { Property } from '../../../src/property.ts';
import { defineSystem, type System, type SystemDefinition } from '../../../src/system.ts';

/** What a system was defined by. */
function definitionOf(system: System): SystemDefinition {
  return {
    id: system.id,
    parts: Object.fromEntries(
      system.parts.map(({ name, machine, input, process }) => [
        name,
        { machine, ...(input === undefined ? {} : { input }), ...(process === undefined ? {} : { process }) },
      ]),
    ),
    components: Object.fromEntries(
      system.components.map(({ name, parts }) => [name, parts.map((part) => system.parts[part]?.name ?? '')]),
    ),
    wiring: system.wiring,
    choices: system.choices,
    processes: system.processes,
  };
}

/** Other names for the parts and components. */
export function renamed(system: System): System {
  const { parts, components = {}, wiring, choices, processes = {}, ...rest } = definitionOf(system);
  const name = (old: string): string => `a ${old} b`;
  const old = (new_: string): string => new_.slice(2, -2);
  const deliver = (deliveries: ReturnType<typeof wiring>): ReturnType<typeof wiring> =>
    deliveries.map(({ to, event }) => ({ to: name(to), event }));
  return defineSystem({
    ...rest,
    parts: Object.fromEntries(Object.entries(parts).map(([each, part]) => [name(each), part])),
    components: Object.fromEntries(
      Object.entries(components).map(([each, members]) => [`${each}!`, members.map(name)]),
    ),
    wiring: (from, event) => deliver(wiring(old(from), event)),
    choices: choices.map((choice) => ({ ...choice, deliver: deliver(choice.deliver) })),
    processes: Object.fromEntries(
      Object.entries(processes).map(([id, process]) => [id, { ...process, part: name(process.part) }]),
    ),
  });
}

/** The properties of a system that was renamed. */
export function renamedProperties(properties: readonly Property[]): Property[] {
  const name = (old: string): string => `a ${old} b`;
  type Loose = {
    reads: readonly string[];
    on?: { part: string };
    holds: (at: unknown, event: unknown) => boolean;
  };
  const clause = (each: Loose): Loose => ({
    ...each,
    reads: each.reads.map(name),
    ...(each.on === undefined ? {} : { on: { ...each.on, part: name(each.on.part) } }),
    holds: (at, event) => each.holds((part: string) => (at as (part: string) => unknown)(name(part)), event),
  });
  return properties.map((property) => ({
    ...property,
    clauses: property.clauses.map((each) => clause(each as unknown as Loose)),
    witnesses: property.witnesses.map((witness) =>
      'state' in witness
        ? { ...witness, state: clause(witness.state as unknown as Loose) }
        : { ...witness, effect: clause(witness.effect as unknown as Loose) },
    ),
  })) as unknown as Property[];
}

/** The parts, components and choices in another order. */
export function reordered(system: System): System {
  const { parts, components = {}, choices, ...rest } = definitionOf(system);
  return defineSystem({
    ...rest,
    parts: Object.fromEntries(Object.entries(parts).reverse()),
    components: Object.fromEntries(Object.entries(components).reverse()),
    choices: [...choices].reverse(),
  });
}

/** A variable in each machine that nothing reads and nothing changes, and a choice that is never offered. */
export function withDeadWeight(system: System): System {
  const { parts, choices, ...rest } = definitionOf(system);
  const heavier = new Map<AnyStateMachine, AnyStateMachine>();
  const dead = (machine: AnyStateMachine): AnyStateMachine => {
    const known = heavier.get(machine);
    if (known !== undefined) return known;
    const { context, ...config } = machine.config as { context?: object };
    const made = createMachine({ ...config, context: { ...context, unused: [1, { two: 3 }] } } as never);
    heavier.set(machine, made as unknown as AnyStateMachine);
    return made as unknown as AnyStateMachine;
  };
  const [first] = Object.keys(parts) as [string];
  return defineSystem({
    ...rest,
    parts: Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [name, { ...part, machine: dead(part.machine) }]),
    ),
    choices: [...choices, { id: 'never', deliver: [{ to: first, event: { type: 'never' } }] }],
  });
}
