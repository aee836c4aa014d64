/** Compares the checker with another one on random small systems, and looks that these were worth comparing. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { check } from '../../src/check.ts';
import type { Counts } from './counts.ts';
import { randomRecipe } from './random-recipe.ts';
import type { Recipe } from './recipe.ts';
import { writeSystem } from './write-xstate.ts';

/** Systems that are compared with each of the other checkers. */
export const systemsCompared = 200;

/** Larger systems are drawn anew, and so are those with hardly a state. */
const statesMax = 5_000;
const statesMin = 5;

/** Draws systems until enough have been counted by both, and fails on the smallest on which they differ. */
export async function compareWith(count: (recipe: Recipe) => Promise<Counts>): Promise<void> {
  const seen = { systems: 0, timers: 0, talk: 0, large: 0 };
  await fc.assert(
    fc.asyncProperty(randomRecipe, async (recipe) => {
      const report = await check(writeSystem(recipe), [], { maxStates: statesMax, timeLocks: false });
      fc.pre(report.complete && report.states >= statesMin);
      seen.systems += 1;
      if (recipe.parts.some(({ states }) => states.some(({ after }) => after.length > 0))) seen.timers += 1;
      if (recipe.wires.length > 0) seen.talk += 1;
      if (report.states > 50) seen.large += 1;
      expect(await count(recipe)).toEqual({ states: report.states, edges: report.edges });
    }),
    { numRuns: systemsCompared, maxSkipsPerRun: 20 },
  );
  expect(seen.systems).toBe(systemsCompared);
  expect(seen.timers, 'systems with timers').toBeGreaterThan(systemsCompared / 2);
  expect(seen.talk, 'systems whose parts talk').toBeGreaterThan(systemsCompared / 2);
  expect(seen.large, 'systems with more than 50 states').toBeGreaterThan(systemsCompared / 10);
}
