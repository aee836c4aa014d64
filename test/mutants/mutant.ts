/** What a mutant is: one change of the model, by a name that stays the same from run to run. */
import type { AnyStateMachine } from 'xstate';
import type { MachineId } from '../../models/index.ts';
import type { System, Wiring } from '../../src/system.ts';

/** The kinds of change, in the order in which a machine's mutants are listed. */
export const operators = [
  'guard',
  'target',
  'removal',
  'action',
  'order',
  'delay',
  'switch',
  'wiring',
] as const;

/** A kind of change. */
export type Operator = (typeof operators)[number];

/** One change of one machine, or of the wiring. */
export interface Mutant {
  /** Such as `cleanup:decision.fencing fence.answered[1] guard dropped`. */
  readonly id: string;
  readonly operator: Operator;
  /** The machine that is changed, or `wiring`. */
  readonly of: MachineId | 'wiring';
  /** Makes the changed machine from the one that a design provides. Left out for the wiring. */
  readonly mutate?: (machine: AnyStateMachine) => AnyStateMachine;
  /** Makes the changed wiring. Left out for a machine. */
  readonly rewire?: (wiring: Wiring) => Wiring;
  /** Transitions that the change itself takes out of the text, so that their never happening says nothing. */
  readonly gone?: readonly string[];
  /** Two transitions that have changed places, and with them their ids. */
  readonly swapped?: readonly [string, string];
}

/** The system with the change made in it. */
export function mutated(system: System, { of, mutate, rewire }: Mutant): System {
  return {
    ...system,
    parts: system.parts.map((part) =>
      mutate !== undefined && part.machine.id === of ? { ...part, machine: mutate(part.machine) } : part,
    ),
    wiring: rewire === undefined ? system.wiring : rewire(system.wiring),
  };
}
