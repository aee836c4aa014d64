import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CheckReport, check } from '../../../src/check.ts';
import type { Property } from '../../../src/property.ts';
import { type System, SystemError } from '../../../src/system.ts';
import { randomProperties, randomSystem } from './random-systems.ts';
import { renamed, renamedProperties, reordered, withDeadWeight } from './rewritten-systems.ts';

/** What must not depend on how a system is written. */
function meaning({ states, edges, depth, structure, properties, witnesses }: CheckReport): object {
  const { restStates, deadlocks, timeLocks } = structure;
  return {
    counts: { states, edges, depth, restStates, deadlocks, timeLocks },
    properties: properties.map(({ id, verdict, trace }) => ({ id, verdict, steps: trace?.picks.length })),
    witnesses,
  };
}

async function meaningOf(system: System, properties: readonly Property[]): Promise<object | undefined> {
  try {
    const report = await check(system, properties, { maxStates: 3000 });
    return report.complete ? meaning(report) : undefined;
  } catch (error) {
    if (error instanceof SystemError) return undefined;
    throw error;
  }
}

const ways: readonly (readonly [
  string,
  (system: System) => System,
  (properties: readonly Property[]) => readonly Property[],
])[] = [
  ['other names', renamed, renamedProperties],
  ['another order', reordered, (properties) => properties],
  ['dead weight', withDeadWeight, (properties) => properties],
];

describe('a verdict does not depend on', () => {
  it.each(ways)(
    '%s',
    async (_, rewrite, rewriteProperties) => {
      await fc.assert(
        fc.asyncProperty(randomSystem, fc.nat(8), async (system, seed) => {
          const properties = randomProperties(seed);
          const first = await meaningOf(system, properties);
          fc.pre(first !== undefined);
          expect(await meaningOf(rewrite(system), rewriteProperties(properties))).toEqual(first);
        }),
        { numRuns: 150 },
      );
    },
    60_000,
  );
});
