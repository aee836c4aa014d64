/** The mutants of a whole machine: the actions of its states, its delays, and the switches that a design turns. */
import type { AnyStateMachine } from 'xstate';
import { type MachineId, switches } from '../../models/index.ts';
import { statechart } from '../../src/machine/statechart.ts';
import type { Mutant } from './mutant.ts';
import { changeState, pathOf, type StateConfig, withConfig } from './place.ts';
import { actionNames, without } from './transition-mutants.ts';

/** All mutants of one machine that are not of its transitions. */
export function machineMutants(id: MachineId, machine: AnyStateMachine): Mutant[] {
  return [...stateMutants(id, machine), ...delayMutants(id, machine), ...switchMutants(id, machine)];
}

/** Each action on the way into or out of a state, dropped. */
function stateMutants(id: MachineId, machine: AnyStateMachine): Mutant[] {
  return statechart(machine).nodes.flatMap((node) => {
    const path = pathOf(node.id);
    return (['entry', 'exit'] as const).flatMap((when) =>
      actionNames(node[when].map(({ label }) => label)).map(
        (name): Mutant => ({
          id: `${id}:${path.join('.')} ${when} action ${name} dropped`,
          operator: 'action',
          of: id,
          mutate: (each) =>
            withConfig(
              each,
              changeState(each.config as StateConfig, path, (state) => ({
                ...state,
                [when]: without(state[when], name),
              })),
            ),
        }),
      ),
    );
  });
}

/** Each delay a tick longer, and a tick shorter where it is not nothing already. */
function delayMutants(id: MachineId, machine: AnyStateMachine): Mutant[] {
  return Object.keys(machine.implementations.delays).flatMap((name) =>
    (
      [
        ['longer', 1],
        ['shorter', -1],
      ] as const
    ).map(
      ([word, ticks]): Mutant => ({
        id: `${id}:delay ${name} one tick ${word}`,
        operator: 'delay',
        of: id,
        mutate: (each) => each.provide({ delays: { [name]: Math.max(0, delayOf(each, name) + ticks) } }),
      }),
    ),
  );
}

function delayOf(machine: AnyStateMachine, name: string): number {
  const delay: unknown = machine.implementations.delays[name];
  if (typeof delay !== 'number') throw new Error(`delay '${name}' of '${machine.id}' is not a number`);
  return delay;
}

/** Each switch turned the other way round in this machine, whatever the design says. */
function switchMutants(id: MachineId, machine: AnyStateMachine): Mutant[] {
  return switches
    .filter((name) => name in machine.implementations.guards)
    .map((name) => ({
      id: `${id}:switch ${name} inverted`,
      operator: 'switch',
      of: id,
      mutate: (each) => {
        const on = each.implementations.guards[name] as () => boolean;
        return each.provide({ guards: { [name]: () => !on() } });
      },
    }));
}
