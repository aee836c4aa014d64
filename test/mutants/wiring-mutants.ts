/** The mutants of the wiring: each kind of part that hears an event, made deaf to it. */
import { heard, heardWithin } from '../../models/wiring.ts';
import type { Mutant } from './mutant.ts';

/** All mutants of the wiring. */
export function wiringMutants(): Mutant[] {
  return [heard, heardWithin].flatMap((table: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(table).flatMap(([type, kinds]) =>
      kinds.map(
        (kind): Mutant => ({
          id: `wiring:${type} to ${kind} dropped`,
          operator: 'wiring',
          of: 'wiring',
          deaf: { kind, type },
        }),
      ),
    ),
  );
}
