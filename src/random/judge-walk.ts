/** What the steps of a walk show: the properties' own predicates, asked state by state. */
import type { EventuallyAlways, Property, Reader } from '../property.ts';
import type { Emission } from '../semantics/world.ts';

/** Whether a step breaks a safety property. */
export function breaks(
  property: Property,
  before: Reader,
  after: Reader,
  emissions: readonly Emission[],
): boolean {
  if (property.kind === 'invariant') return property.clauses.some(({ holds }) => !holds(after));
  if (property.kind !== 'effect') return false;
  return emissions.some(({ part, event }) =>
    property.clauses.some(
      ({ on, holds }) => on.part === part && on.emits === event.type && !holds(before, event),
    ),
  );
}

/** Whether a cycle of states breaks a liveness property, its fairness taken for granted. */
export function cycleBreaks({ within, clauses }: EventuallyAlways, cycle: readonly Reader[]): boolean {
  return cycle.every((at) => within.holds(at)) && cycle.some((at) => clauses.some(({ holds }) => !holds(at)));
}

/** The liveness properties among others. */
export function livenessOf(properties: readonly Property[]): EventuallyAlways[] {
  return properties.filter((property): property is EventuallyAlways => property.kind === 'eventually-always');
}
