/** All mutants, in the order in which they are judged. */
import { type MachineId, machines } from '../../models/index.ts';
import { machineMutants } from './machine-mutants.ts';
import type { Mutant } from './mutant.ts';
import { transitionMutants } from './transition-mutants.ts';
import { wiringMutants } from './wiring-mutants.ts';

/** What can be changed: where the designs differ most comes first. */
export const subjects = [
  'cleanup',
  'cni',
  'record',
  'watcher',
  'link',
  'kernel',
  'wiring',
  'store',
  'apply',
  'agent',
  'environment',
] as const satisfies readonly (MachineId | 'wiring')[];

/** All mutants. */
export function allMutants(): Mutant[] {
  return subjects.flatMap((subject) =>
    subject === 'wiring'
      ? wiringMutants()
      : [...transitionMutants(subject, machines[subject]), ...machineMutants(subject, machines[subject])],
  );
}
