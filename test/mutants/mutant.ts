/** What a mutant is: one change of the model, by a name that stays the same from run to run. */
import type { AnyStateMachine } from 'xstate';
import type { MachineId } from '../../models/index.ts';
import type { System, Wiring } from '../../src/system.ts';

/** A kind of change. */
type Operator = 'guard' | 'target' | 'removal' | 'action' | 'order' | 'delay' | 'switch' | 'wiring';

/** One change of one machine, or of the wiring. */
export interface Mutant {
  /** Such as `cleanup:decision.fencing fence.answered[1] guard dropped`. */
  readonly id: string;
  readonly operator: Operator;
  /** The machine that is changed, or `wiring`. */
  readonly of: MachineId | 'wiring';
  /** Makes the changed machine from the one that a design provides. Left out for the wiring. */
  readonly mutate?: (machine: AnyStateMachine) => AnyStateMachine;
  /** What kind of part no longer hears which event. Left out for a machine. */
  readonly deaf?: { readonly kind: string; readonly type: string };
  /** Transitions that the change itself takes out of the text, so that their never happening says nothing. */
  readonly gone?: readonly string[];
  /** Two transitions that have changed places, and with them their ids. */
  readonly swapped?: readonly [string, string];
}

/** The system with the change made in it. */
export function mutated(system: System, { of, mutate, deaf }: Mutant): System {
  return {
    ...system,
    parts: system.parts.map((part) =>
      mutate !== undefined && part.machine.id === of ? { ...part, machine: mutate(part.machine) } : part,
    ),
    wiring: deaf === undefined ? system.wiring : without(system.wiring, deaf),
  };
}

function without(wiring: Wiring, { kind, type }: NonNullable<Mutant['deaf']>): Wiring {
  const isDeaf = (to: string): boolean => to === kind || to.startsWith(`${kind}[`);
  return (from, event) => wiring(from, event).filter(({ to }) => event.type !== type || !isDeaf(to));
}
