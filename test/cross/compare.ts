/** Compares the checker with another one on random small systems, and looks that these were worth comparing. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { check } from '../../src/check.ts';
import type { Counts } from './counts.ts';
import { randomRecipe } from './random-recipe.ts';
import type { Recipe } from './recipe.ts';
import { writeSystem } from './write-xstate.ts';

/** Systems that are compared with each of the other checkers. */
const systemsCompared = 50;

/** Larger systems are drawn anew, and so are trivial ones. */
const statesMax = 5_000;
const statesMin = 20;

/** A comparison that takes longer than this, mostly one that shrinks what it found, ends with what it has. */
const timeMaxMs = 900_000;

/** Draws systems until enough have been counted by both, and fails on the smallest on which they differ. */
export async function compareWith(count: (recipe: Recipe) => Promise<Counts>): Promise<void> {
  const seen = { systems: 0, timers: 0, talk: 0, large: 0 };
  await fc.assert(
    fc.asyncProperty(randomRecipe, async (recipe) => {
      const report = await check(writeSystem(recipe), [], { maxStates: statesMax, timeLocks: false });
      fc.pre(report.complete && report.states >= statesMin);
      seen.systems += 1;
      if (recipe.parts.some(({ states }) => states.some(({ after }) => after.length > 0))) seen.timers += 1;
      if (talks(recipe)) seen.talk += 1;
      if (report.states > 50) seen.large += 1;
      expect(await count(recipe)).toEqual({ states: report.states, edges: report.edges });
    }),
    {
      numRuns: systemsCompared,
      maxSkipsPerRun: 20,
      interruptAfterTimeLimit: timeMaxMs,
      markInterruptAsFailure: true,
    },
  );
  expect(seen.systems).toBe(systemsCompared);
  expect(seen.timers, 'systems with timers').toBeGreaterThan(systemsCompared / 2);
  expect(seen.talk, 'systems whose parts talk').toBeGreaterThan(systemsCompared / 2);
  expect(seen.large, 'systems with more than 50 states').toBeGreaterThan(systemsCompared / 4);
}

/** Whether some arc emits a signal that some part hears. */
function talks({ parts, wires }: Recipe): boolean {
  return wires.some(({ from, signal }) =>
    parts[from]?.states.some(({ on, after }) =>
      [...on.flat(), ...after.map(({ arc }) => arc)].some(({ emits }) => emits.includes(signal)),
    ),
  );
}
