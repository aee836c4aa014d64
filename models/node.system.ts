/**
 * The node: the machines of a design with its switches and durations, composed. One place for all designs.
 *
 * Parts of one endpoint form a component, so that for the engine an endpoint is one small number; so do the parts that
 * all endpoints share.
 */
import type { AnyStateMachine } from 'xstate';
import { defineSystem, type PartDefinition, type System } from '../src/system.ts';
import { nodeChoices } from './choices.ts';
import { type Design, type Parameter, type Parameters, type Switch, switches } from './designs.ts';
import type { NodeOptions } from './node-options.ts';
import { endpointNumbers, kinds, type MachineId, machines, partOf, sharedParts } from './parts.ts';
import { withBackoff } from './watcher.machine.ts';
import { nodeWiring } from './wiring.ts';

/** A duration in whole ticks, rounded up. */
export function ticksOf(parameters: Parameters, name: Parameter): number {
  return Math.ceil(parameters[name] / parameters.tick);
}

const delayOf: Readonly<Record<string, Parameter>> = {
  gracePeriod: 'grace',
  keepaliveTime: 'keepaliveTime',
  keepaliveTimeout: 'keepaliveTimeout',
  leaderTimeout: 'leaderTimeout',
  probePeriod: 'probePeriod',
  probeTimeout: 'probeTimeout',
  callDeadline: 'callDeadline',
};

/**
 * The machines of a design: its switches as guards, its durations as delays.
 *
 * @param durationOf - a duration as the delay of a timer: in whole ticks, unless it is said otherwise
 */
export function machinesOf(
  design: Design,
  durationOf: (name: Parameter) => number = (name) => ticksOf(design.parameters, name),
): Record<MachineId, AnyStateMachine> {
  const on = new Set<Switch>(design.switches);
  const provided = Object.entries(machines).map(([id, machine]: [string, AnyStateMachine]) => {
    const guards = Object.fromEntries(
      switches
        .filter((name) => name in machine.implementations.guards)
        .map((name) => [name, () => on.has(name)]),
    );
    const delays = Object.fromEntries(
      Object.entries(delayOf)
        .filter(([name]) => name in machine.implementations.delays)
        .map(([name, parameter]) => [name, durationOf(parameter)]),
    );
    return [id, machine.provide({ guards, delays })];
  });
  const made = Object.fromEntries(provided) as Record<MachineId, AnyStateMachine>;
  const watcher = withBackoff(made.watcher, durationOf('retryDelay'), durationOf('retryDelayMax'));
  return { ...made, watcher };
}

/**
 * Composes a node.
 *
 * @param design - switches and parameters
 * @param options - endpoints, faults, observers
 * @returns the system, its parts named `store`, `link`, …, `record[1]`, `cni[1]`, …
 */
export function nodeSystem(design: Design, options: NodeOptions): System {
  const numbers = endpointNumbers(options.endpoints);
  const made = machinesOf(design);
  const ofAgent = { process: 'agent' };
  const parts: Record<string, PartDefinition> = {
    environment: { machine: made.environment, input: { strikes: options.strikes ?? 'unbounded' } },
    store: { machine: made.store },
    link: { machine: made.link, ...ofAgent },
    watcher: { machine: made.watcher, ...ofAgent },
    agent: { machine: made.agent },
    apply: { machine: made.apply, ...ofAgent },
  };
  const observers = Object.entries(options.observers ?? {});
  const fused = observers.filter(([, { shared }]) => shared === true).map(([name]) => name);
  const components: Record<string, string[]> = { shared: [...sharedParts, ...fused] };
  for (const number of numbers) {
    for (const kind of kinds) {
      parts[partOf(kind, number)] = { machine: made[kind], ...(kind === 'cleanup' ? ofAgent : {}) };
    }
    components[`endpoint[${number}]`] = kinds.map((kind) => partOf(kind, number));
  }
  for (const [name, { machine }] of observers) parts[name] = { machine, observer: true };
  return defineSystem({
    id: `${design.id} with ${options.endpoints} endpoint${options.endpoints === 1 ? '' : 's'}`,
    parts,
    components,
    wiring: nodeWiring(numbers, options),
    choices: nodeChoices(design, numbers, options),
    processes: { agent: { part: 'agent', pausedTag: 'paused' } },
    tickSeconds: design.parameters.tick,
  });
}
