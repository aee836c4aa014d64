import fc, { Arbitrary, type Random, Stream, Value } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import type { Reader } from '../../../src/property.ts';
import { drawTaste, liking } from '../../../src/random/tastes.ts';
import { TurningPoints } from '../../../src/random/turning-points.ts';
import type { Walk } from '../../../src/random/walk.ts';
import { Walker } from '../../../src/random/walker.ts';
import { walks } from '../../../src/random/walks.ts';
import type { GlobalState, Pick } from '../../../src/semantics/world.ts';
import { type Choice, defineSystem } from '../../../src/system.ts';

const machine = createMachine({
  initial: 'up',
  states: {
    up: { on: { look: {}, '!crash': 'down', stop: 'calm' } },
    down: { on: { look: {}, repair: 'up' } },
    calm: { on: { look: {} } },
  },
});

function drawn(
  ids: readonly string[],
  steps: number,
  node: AnyStateMachine = machine,
  onState?: (state: GlobalState) => void,
): readonly Walk[] {
  const choices = ids.map(
    (id): Choice => ({
      id,
      deliver: [{ to: 'node', event: { type: id } }],
      ...(id.startsWith('!') ? { fault: id } : {}),
      ...(id === 'repair' ? { fairness: 'weak' } : {}),
    }),
  );
  const system = defineSystem({ id: 'node', parts: { node: { machine: node } }, wiring: () => [], choices });
  return fc.sample(
    walks(new Walker(system), { steps, properties: [], ...(onState === undefined ? {} : { onState }) }),
    { numRuns: 200, seed: 1 },
  );
}

/** What fast-check draws from, by its seed. */
function random(seed: number): Random {
  class Itself extends Arbitrary<Random> {
    override generate(drawnFrom: Random): Value<Random> {
      return new Value(drawnFrom.clone(), undefined);
    }
    override canShrinkWithoutContext(_value: unknown): _value is Random {
      return false;
    }
    override shrink(): Stream<Value<Random>> {
      return Stream.nil();
    }
  }
  return fc.sample(new Itself(), { numRuns: 1, seed })[0] as Random;
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

  it('is a run of the system, also where it went back', () => {
    const forks = createMachine({
      initial: 'start',
      states: {
        start: { on: { left: 'l1', right: 'r1' } },
        l1: { on: { on: 'l2' } },
        l2: { on: { on: 'end' } },
        r1: { on: { on: 'r2' } },
        r2: { on: { on: 'end' } },
        end: {},
      },
    });
    const seen = new Set<string>();
    const all = drawn(['left', 'right', 'on'], 40, forks, (state) => seen.add(state.join()));
    const ways = all.map((walk) => made(walk).join(' '));
    for (const way of ways) expect(way).toMatch(/^(left|right) on on$/);
    expect(new Set(ways).size).toBe(2);
    expect(seen.size).toBe(5);
  });
});

describe('turning points', () => {
  const flag = (name: string) => ({
    reads: ['node'],
    holds: (at: Reader) => at('node').hasTag(name),
  });
  const tagged =
    (...tags: string[]): Reader =>
    () =>
      ({ hasTag: (tag: string) => tags.includes(tag) }) as ReturnType<Reader>;
  const state = (number: number): GlobalState => [number] as unknown as GlobalState;

  it('are the first states of each set of marks, and the start', () => {
    const points = new TurningPoints([flag('a'), flag('b')], state(0));
    for (const [number, tags] of [
      [1, ['a']],
      [2, ['a']],
      [3, ['a', 'b']],
      [4, []],
      [5, ['b']],
    ] as const)
      points.see([], state(number), tagged(...tags));
    const drawn = random(1);
    const drawnStates = new Set(Array.from({ length: 400 }, () => points.draw(drawn).state[0]));
    expect([...drawnStates].sort()).toEqual([0, 1, 3, 5]);
  });

  it('are drawn the more often the more marks held, and none again and again', () => {
    const points = new TurningPoints([flag('a'), flag('b')], state(0));
    points.see([], state(1), tagged('a'));
    points.see([], state(2), tagged('a', 'b'));
    const drawn = random(1);
    const draws = Array.from({ length: 3000 }, () => points.draw(drawn).state[0]);
    const times = (number: number) => draws.filter((each) => each === number).length;
    expect(times(2)).toBeGreaterThan(times(1));
    expect(times(1)).toBeGreaterThan(times(0));
    expect(times(0)).toBeGreaterThan(300);
  });

  it('keep the way there as it was', () => {
    const points = new TurningPoints([flag('a')], state(0));
    const way: Pick[] = [{ kind: 'time' }];
    points.see(way, state(1), tagged('a'));
    way.push({ kind: 'time' });
    const drawn = random(1);
    const ways = new Set(Array.from({ length: 50 }, () => points.draw(drawn).picks.length));
    expect([...ways].sort()).toEqual([0, 1]);
  });
});

describe('a taste that tires', () => {
  it('likes a step the less, the more often it was made; another does not', () => {
    const system = defineSystem({ id: 'node', parts: { node: { machine } }, wiring: () => [], choices: [] });
    const drawn = random(3);
    const tastes = Array.from({ length: 40 }, () => drawTaste(drawn, system));
    expect(tastes.filter(({ tires }) => tires).length).toBeGreaterThan(10);
    expect(tastes.filter(({ tires }) => tires).length).toBeLessThan(30);
    const time = { pick: { kind: 'time' }, order: '3' } as const;
    for (const taste of tastes) {
      const fresh = liking(taste, time, false, 0);
      expect(liking(taste, time, false, 3)).toBeCloseTo(taste.tires ? fresh / 4 : fresh);
    }
  });
});
