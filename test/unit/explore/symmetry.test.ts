import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachine, emit } from 'xstate';
import { check } from '../../../src/check.ts';
import type { Property, PropertyReport } from '../../../src/index.ts';
import { type Choice, defineSystem, type SystemDefinition } from '../../../src/system.ts';
import { memberProperties, symmetricSystem } from './symmetric-systems.ts';

const told = (reports: readonly PropertyReport[]): unknown[] =>
  reports.map(({ id, verdict, trace }) => ({ id, verdict, steps: trace?.picks.length }));

/** The same property of every member: an orbit breaks it exactly if some state of it breaks it. */
function ofEveryMember(property: Property, members: number): Property {
  const names = Array.from({ length: members }, (_, index) => `m${index}`);
  const pairs = names.flatMap((a) => names.filter((b) => b !== a).map((b) => [a, b] as const));
  const rename = (pair: readonly [string, string]) => (name: string) =>
    name === 'm0' ? pair[0] : name === 'm1' ? pair[1] : name;
  const clauses = pairs.flatMap((pair) =>
    property.clauses.map((clause) => ({
      ...clause,
      ...('on' in clause ? { on: { ...clause.on, part: rename(pair)(clause.on.part) } } : {}),
      reads: clause.reads.map(rename(pair)),
      holds: (at: (name: string) => never, event: never) =>
        (clause.holds as (at: unknown, event: unknown) => boolean)(
          (name: string) => at(rename(pair)(name)),
          event,
        ),
    })),
  );
  return { ...property, clauses } as unknown as Property;
}

describe('symmetry', () => {
  it('finds orbits whose sizes add up to all states, and the same verdicts and lengths', async () => {
    await fc.assert(
      fc.asyncProperty(symmetricSystem, async (system) => {
        const members = system.parts.length - 1;
        const properties = memberProperties.map((property) => ofEveryMember(property, members));
        const whole = await check(system, properties);
        const orbits = await check(system, properties, { symmetry: true });
        expect(orbits.symmetry?.states).toBe(whole.states);
        expect(orbits.depth).toBe(whole.depth);
        expect(told(orbits.properties)).toEqual(told(whole.properties));
        expect(orbits.uncovered).toEqual(whole.uncovered);
        expect(orbits.structure.deadlocks > 0).toBe(whole.structure.deadlocks > 0);
        expect(orbits.structure.timeLocks === 0).toBe(whole.structure.timeLocks === 0);
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('tells of the very component that a property names', async () => {
    await fc.assert(
      fc.asyncProperty(symmetricSystem, async (system) => {
        const whole = await check(system, memberProperties);
        const orbits = await check(system, memberProperties, { symmetry: true });
        // Every trace has been played and judged again before it is reported.
        expect(told(orbits.properties)).toEqual(told(whole.properties));
        expect(orbits.witnesses).toEqual(whole.witnesses);
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('leaves liveness incomplete, and says why', async () => {
    const system = fc.sample(symmetricSystem, { seed: 1, numRuns: 1 })[0];
    if (system === undefined) throw new Error('no system');
    const property: Property = {
      id: 'settles',
      kind: 'eventually-always',
      says: '',
      violation: '',
      witnesses: [],
      within: { reads: [], holds: () => true },
      clauses: [{ reads: ['m0'], holds: (at) => at('m0').value === 's0' }],
    };
    const { properties } = await check(system, [property], { symmetry: true });
    expect(properties[0]).toMatchObject({
      verdict: 'incomplete',
      reason: expect.stringContaining('symmetry'),
    });
  });
});

describe('symmetry is refused', () => {
  const lamp = createMachine({
    id: 'lamp',
    initial: 'off',
    states: {
      off: { on: { turn: { target: 'on', actions: emit({ type: 'lit' }) } } },
      on: { on: { turn: 'off' } },
    },
  });
  const bell = createMachine({
    id: 'bell',
    initial: 'still',
    states: { still: { on: { ring: 'rung' } }, rung: {} },
  });
  const turn = (to: string, rest: Partial<Choice> = {}): Choice => ({
    id: `turn ${to}`,
    deliver: [{ to, event: { type: 'turn' } }],
    ...rest,
  });
  const base: SystemDefinition = {
    id: 'lamps',
    parts: { a: { machine: lamp }, b: { machine: lamp }, bell: { machine: bell } },
    wiring: () => [],
    choices: [turn('a'), turn('b')],
  };
  const refused = (definition: SystemDefinition): Promise<unknown> =>
    check(defineSystem(definition), [], { symmetry: true });

  it('where nothing is alike', async () => {
    await expect(
      refused({ ...base, parts: { a: { machine: lamp }, bell: { machine: bell } }, choices: [turn('a')] }),
    ).rejects.toThrow(/no two components/);
  });

  it('where a choice has no counterpart', async () => {
    await expect(refused({ ...base, choices: [turn('a'), turn('b', { urgent: true })] })).rejects.toThrow(
      /choice 'turn a' has no counterpart/,
    );
  });

  it('where the wiring tells them apart', async () => {
    const wiring: SystemDefinition['wiring'] = (from) =>
      from === 'a' ? [{ to: 'bell', event: { type: 'ring' } }] : [];
    await expect(refused({ ...base, wiring })).rejects.toThrow(/'lit' from '[ab]' is heard by others/);
  });

  it('where two speak in one step', async () => {
    const choices = [
      turn('a'),
      turn('b'),
      { id: 'both', deliver: [...turn('a').deliver, ...turn('b').deliver] },
    ];
    const wiring: SystemDefinition['wiring'] = () => [{ to: 'bell', event: { type: 'ring' } }];
    await expect(refused({ ...base, wiring, choices })).rejects.toThrow(/two components speak/);
  });

  it('where one of them pauses a process', async () => {
    await expect(refused({ ...base, processes: { p: { part: 'a', pausedTag: 'paused' } } })).rejects.toThrow(
      /pauses the process 'p'/,
    );
  });

  it('for a dense search', async () => {
    await expect(check(defineSystem(base), [], { symmetry: true, search: 'dense' })).rejects.toThrow(/dense/);
  });
});
