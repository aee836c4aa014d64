import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { World } from '../../../src/semantics/world.ts';
import { type System, SystemError } from '../../../src/system.ts';
import { randomSystem } from '../explore/random-systems.ts';
import { countsOf, house, office, textOf } from './systems.ts';

/** The graph in the same format, made one step at a time by the semantics that is written for reading. */
function slowly(system: System): string {
  const world = new World(system);
  const numbers = new Map([[world.initial.join(), 0]]);
  const states = [world.initial];
  const lines: string[] = [];
  for (let read = 0; read < states.length; read += 1) {
    const state = states[read] as (typeof states)[number];
    for (const pick of world.picks(state)) {
      const { next } = world.step(state, pick);
      const key = next.join();
      if (!numbers.has(key)) numbers.set(key, states.push(next) - 1);
      if (states.length > 1000) throw new RangeError('too large for this test');
      const label =
        pick.kind === 'choice' ? pick.id : pick.kind === 'time' ? 'time' : `timer ${pick.part} ${pick.timer}`;
      lines.push(`(${read}, "${label}", ${numbers.get(key)})`);
    }
  }
  return [`des (0, ${lines.length}, ${states.length})`, ...lines, ''].join('\n');
}

describe('the Aldebaran format', () => {
  it.each([house, office])('is the graph of $id', async (system) => {
    const text = await textOf(system, 'aut');
    expect(text).toBe(slowly(system));
    const { states, edges } = await countsOf(system);
    expect(text).toMatch(new RegExp(`^des \\(0, ${edges}, ${states}\\)\n`));
  });

  it('writes a small system as it stands here', async () => {
    expect((await textOf(house, 'aut')).split('\n').slice(0, 4)).toEqual([
      expect.stringMatching(/^des \(0, \d+, \d+\)$/),
      '(0, "press", 1)',
      '(1, "time", 2)',
      '(2, "time", 3)',
    ]);
  });

  it('is the graph of random systems, step by step', async () => {
    await fc.assert(
      fc.asyncProperty(randomSystem, async (system) => {
        let expected: string;
        try {
          expected = slowly(system);
        } catch (error) {
          fc.pre(!(error instanceof RangeError));
          expect(error).toBeInstanceOf(SystemError);
          return;
        }
        expect(await textOf(system, 'aut')).toBe(expected);
      }),
      { numRuns: 100 },
    );
  }, 60_000);
});
