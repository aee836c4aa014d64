import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from '../../../src/check.ts';
import { transitionIds } from '../../../src/machine/statechart.ts';
import { SystemError } from '../../../src/system.ts';
import { naiveSearch } from './naive.ts';
import { randomProperties, randomSystem } from './random-systems.ts';

/** A component may be led astray where no run leads it; then a search goes without closed tables. */
function hasNoClosure(error: unknown): undefined {
  if (error instanceof SystemError && /there is no dense search of it/.test(error.message)) return undefined;
  throw error;
}

describe.each(['hashed', 'dense'] as const)('check, %s', (method) => {
  it('agrees with a search one state at a time in counts, verdicts, traces and coverage', async () => {
    await fc.assert(
      fc.asyncProperty(randomSystem, fc.nat(8), async (system, seed) => {
        const properties = randomProperties(seed);
        let naive: ReturnType<typeof naiveSearch>;
        try {
          naive = naiveSearch(system, properties, 3000);
        } catch (error) {
          fc.pre(!(error instanceof RangeError));
          expect(error).toBeInstanceOf(SystemError);
          await expect(check(system, properties, { search: method })).rejects.toThrow(SystemError);
          return;
        }
        const report = await check(system, properties, { search: method }).catch(hasNoClosure);
        fc.pre(report !== undefined);
        expect(report.search).toBe(method);
        const { states, edges, depth } = report;
        expect({ states, edges, depth }).toEqual({
          states: naive.states,
          edges: naive.edges,
          depth: naive.depth,
        });
        const { restStates, deadlocks, timeLocks } = report.structure;
        expect({ restStates, deadlocks, timeLocks }).toEqual({
          restStates: naive.restStates,
          deadlocks: naive.deadlocks,
          timeLocks: naive.timeLocks,
        });
        for (const property of report.properties) {
          expect(property.trace?.picks).toEqual(naive.violations.get(property.id));
        }
        for (const { id, depth: at } of report.witnesses) expect(at).toBe(naive.witnesses.get(id));
        const never = new Set(report.uncovered);
        for (const part of system.parts) {
          for (const [{ target, actions }, id] of transitionIds(part.machine)) {
            const name = `${part.name}:${id}`;
            const forbids = target === undefined && actions.length === 0;
            expect(never.has(name)).toBe(!forbids && !naive.transitions.has(name));
          }
        }
        for (const { id } of system.choices) expect(never.has(`choice:${id}`)).toBe(!naive.offered.has(id));
      }),
      { numRuns: 300 },
    );
  }, 60_000);
});
