import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign, createMachine } from 'xstate';
import { RememberedCondition } from '../../../src/explore/clauses.ts';
import { Engine } from '../../../src/explore/engine.ts';
import { defineSystem, type System } from '../../../src/system.ts';

/** Parts that each count to `size`, some of them in one component. */
function counters(parts: number, size: number, grouped: readonly number[]): System {
  const machine = createMachine({
    types: {} as { context: { count: number } },
    id: 'counter',
    context: { count: 0 },
    initial: 'on',
    states: { on: { after: { 9: 'on' } } },
    on: { UP: { actions: assign({ count: ({ context }) => (context.count + 1) % size }) } },
  });
  const names = Array.from({ length: parts }, (_, place) => `c${place}`);
  return defineSystem({
    id: 'counters',
    parts: Object.fromEntries(names.map((name) => [name, { machine }])),
    components: grouped.length === 0 ? {} : { group: grouped.map((place) => `c${place}`) },
    wiring: () => [],
    choices: [],
  });
}

/** Walks every component through `size` ups of each of its parts, and some ticks. */
function grow(engine: Engine, system: System, size: number): void {
  for (const [index, component] of system.components.entries()) {
    const space = engine.spaces[index] as (typeof engine.spaces)[number];
    for (let local = 0; local < space.size && space.size < size ** component.parts.length; local += 1) {
      for (const part of component.parts) {
        const to = system.parts[part]?.name as string;
        space.receive(local, [{ to, event: { type: 'UP' } }]);
      }
    }
    space.tick(0);
  }
}

describe('a remembered condition', () => {
  it('answers as its predicate does, and asks once for each combination of what it sees', () => {
    const setting = fc.record({
      grouped: fc.constantFrom<readonly number[]>([], [0, 1], [0, 2]),
      draws: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { maxLength: 60 }),
    });
    fc.assert(
      fc.property(setting, ({ grouped, draws }) => {
        const system = counters(3, 5, grouped);
        const engine = new Engine(system, []);
        grow(engine, system, 5);
        const asked: string[] = [];
        const condition = new RememberedCondition(
          engine.world,
          engine.spaces,
          {
            reads: ['c0', 'c2'],
            holds: (at) => {
              const [first, second] = [at('c0').context.count, at('c2').context.count];
              asked.push(`${first} ${second}`);
              return (first * second) % 3 !== 1;
            },
          },
          'here',
        );
        for (const draw of draws) {
          const locals = engine.spaces.map((space, index) => (draw[index] as number) % space.size);
          const count = (part: number): number => {
            const component = system.parts[part]?.component as number;
            const space = engine.spaces[component] as (typeof engine.spaces)[number];
            const local = space.partLocal(locals[component] as number, part);
            return engine.world.spaces[part]?.state(local).snapshot.context.count;
          };
          expect(condition.holds(locals)).toBe((count(0) * count(2)) % 3 !== 1);
        }
        expect(new Set(asked).size * 3).toBeGreaterThanOrEqual(asked.length);
        expect(asked.length).toBeLessThanOrEqual(25 + 25);
      }),
    );
  });

  it('remembers as well when there are too many combinations for a table', () => {
    const size = 40;
    const system = counters(5, size, []);
    const engine = new Engine(system, []);
    grow(engine, system, size);
    let asked = 0;
    const condition = new RememberedCondition(
      engine.world,
      engine.spaces,
      {
        reads: ['c0', 'c1', 'c2', 'c3', 'c4'],
        holds: (at) => {
          asked += 1;
          return (
            ['c0', 'c1', 'c2', 'c3', 'c4'].reduce((sum, name) => sum + at(name).context.count, 0) % 7 !== 3
          );
        },
      },
      'here',
    );
    const combination = (seed: number): number[] =>
      engine.spaces.map((space, index) => Math.floor(seed / size ** index + seed * (index + 1)) % space.size);
    // Twice, since answers are forgotten while the table of them grows.
    for (let seed = 0; seed < 1000; seed += 1) condition.holds(combination(seed % 500));
    const first = asked;
    for (let seed = 0; seed < 500; seed += 1) {
      const locals = combination(seed);
      const sum = locals.reduce((total, local, index) => {
        const tuple = engine.spaces[index]?.tuple(local)[0] as number;
        return total + engine.world.spaces[index]?.state(tuple).snapshot.context.count;
      }, 0);
      expect(condition.holds(locals)).toBe(sum % 7 !== 3);
    }
    expect(asked).toBe(first);
  });
});
