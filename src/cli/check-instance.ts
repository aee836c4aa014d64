/** Checks one design with everything that must hold of it. */
import { type CheckOptions, check } from '../check.ts';
import { coverage } from '../report/coverage.ts';
import type { CheckedSystem, Outcome } from '../report/outcome.ts';
import type { System } from '../system.ts';
import { constantsOf, type Instance, isWhole, obligationsOf, referencesOf } from './instance.ts';

/**
 * Checks an instance.
 *
 * @param instance - the design and what it is checked with
 * @param wanted - ids of the properties; all if left out
 * @param options - for the checks; a signal that has been given leaves the systems that are not begun yet incomplete
 */
export async function checkInstance(
  instance: Instance,
  wanted: readonly string[] | undefined,
  options: CheckOptions,
): Promise<Outcome> {
  const checks: CheckedSystem[] = [];
  for (const { system, properties } of obligationsOf(instance, wanted)) {
    // A system without endpoints has nothing that could change places.
    const symmetry = options.symmetry === true && endpointsOf(system) > 1;
    checks.push({ system, properties, report: await check(system, properties, { ...options, symmetry }) });
  }
  const references = referencesOf(instance);
  const constants = constantsOf(instance);
  const complete = checks.every(({ report }) => report.complete);
  return {
    name: instance.design.id,
    checks,
    coverage: coverage(
      checks.map(({ system, report: { uncovered } }) => ({ system, uncovered, references, constants })),
    ),
    coverageCounts: complete && isWhole(instance),
  };
}

function endpointsOf(system: System): number {
  return system.components.filter(({ name }) => name.startsWith('endpoint[')).length;
}
