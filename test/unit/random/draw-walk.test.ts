import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import type { Walk } from '../../../src/random/walk.ts';
import { Walker } from '../../../src/random/walker.ts';
import { walks } from '../../../src/random/walks.ts';
import { type Choice, defineSystem } from '../../../src/system.ts';

const machine = createMachine({
  initial: 'up',
  states: {
    up: { on: { look: {}, '!crash': 'down', stop: 'calm' } },
    down: { on: { look: {}, repair: 'up' } },
    calm: { on: { look: {} } },
  },
});

function drawn(ids: readonly string[], steps: number, node: AnyStateMachine = machine): readonly Walk[] {
  const choices = ids.map(
    (id): Choice => ({
      id,
      deliver: [{ to: 'node', event: { type: id } }],
      ...(id.startsWith('!') ? { fault: id } : {}),
      ...(id === 'repair' ? { fairness: 'weak' } : {}),
    }),
  );
  const system = defineSystem({ id: 'node', parts: { node: { machine: node } }, wiring: () => [], choices });
  return fc.sample(walks(new Walker(system), { steps, properties: [] }), { numRuns: 200, seed: 1 });
}

const made = ({ picks }: Walk): string[] =>
  picks.map((pick) => (pick.kind === 'choice' ? pick.id : pick.kind));

describe('a drawn walk', () => {
  it('makes no step that leads nowhere', () => {
    for (const walk of drawn(['look', '!crash', 'repair', 'stop'], 40))
      expect(made(walk)).not.toContain('look');
  });

  it('mostly puts off, to its last tenth, what ends all faults for good', () => {
    const stops = drawn(['look', '!crash', 'repair', 'stop'], 40).map((walk) => made(walk).indexOf('stop'));
    const soon = stops.filter((place) => place >= 0 && place < 36).length;
    expect(soon).toBeGreaterThan(10);
    expect(soon).toBeLessThan(80);
    expect(stops.filter((place) => place === 36).length).toBeGreaterThan(10);
  });

  it('does not wait for it where nothing else leads anywhere', () => {
    const shaken = createMachine({
      initial: 'up',
      states: { up: { on: { '!shake': { target: 'up' }, stop: 'calm' } }, calm: {} },
    });
    for (const walk of drawn(['!shake', 'stop'], 40, shaken)) expect(made(walk)).toEqual(['stop']);
  });
});
