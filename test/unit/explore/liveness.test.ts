import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign, createMachine } from 'xstate';
import { check } from '../../../src/check.ts';
import { type BadComponent, FairComponents } from '../../../src/explore/fair-components.ts';
import { Cycles } from '../../../src/explore/lasso.ts';
import { Rows, unlabelled } from '../../../src/explore/region-graph.ts';
import type { EventuallyAlways, Reader } from '../../../src/property.ts';
import { World } from '../../../src/semantics/world.ts';
import {
  type Choice,
  defineSystem,
  type FairnessKind,
  type System,
  SystemError,
} from '../../../src/system.ts';
import { breaksLiveness, type SmallGraph } from './brute-liveness.ts';
import { randomSystem } from './random-systems.ts';

const kinds: fc.Arbitrary<FairnessKind[]> = fc.array(fc.constantFrom('weak', 'strong'), { maxLength: 3 });

const smallGraph = (edgesMax: number): fc.Arbitrary<SmallGraph> =>
  fc.tuple(fc.integer({ min: 1, max: 8 }), kinds).chain(([states, fairness]) =>
    fc.record({
      states: fc.constant(states),
      fairness: fc.constant(fairness),
      edges: fc.array(
        fc.record({
          from: fc.nat(states - 1),
          to: fc.nat(states - 1),
          label: fc.nat(fairness.length).map((label) => (label < fairness.length ? label : undefined)),
        }),
        { maxLength: edgesMax },
      ),
    }),
  );

function decide(
  graph: SmallGraph,
  bad: readonly boolean[],
  assumed: (label: number) => boolean,
): BadComponent[] {
  const rows = rowsOf(graph);
  const actions = graph.fairness.map((kind, label) => ({ id: `a${label}`, kind }));
  const components = new FairComponents(rows, actions, (state) => bad[state] === true);
  const found: BadComponent[] = [];
  for (const _ of components.prepare());
  // Asked twice, with other assumptions before: taking components apart must leave no traces.
  for (const _ of components.bad(
    () => true,
    () => true,
  ));
  for (const _ of components.bad(assumed, (each) => found.push(each) > 0));
  return found;
}

function rowsOf({ states, edges }: SmallGraph): Rows {
  const rows = new Rows();
  for (let state = 0; state < states; state += 1) {
    for (const { from, to, label } of edges) {
      if (from === state && to !== state) rows.addEdge(to, label ?? unlabelled);
    }
    rows.endRow();
  }
  rows.end();
  return rows;
}

describe('fair components', () => {
  it('holds a violation exactly if some fair infinite run breaks the clause for ever', () => {
    fc.assert(
      fc.property(smallGraph(9), fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (graph, bad) => {
        expect(decide(graph, bad, () => true).length > 0).toBe(breaksLiveness(graph, bad, true));
      }),
      { numRuns: 1500 },
    );
  }, 60_000);

  it('forgets assumptions that are left out', () => {
    fc.assert(
      fc.property(
        smallGraph(20),
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        fc.nat(2),
        (graph, bad, out) => {
          const fewer = {
            ...graph,
            fairness: graph.fairness.filter((_, label) => label !== out),
            edges: graph.edges.map((edge) => ({
              ...edge,
              label:
                edge.label === undefined || edge.label === out
                  ? undefined
                  : edge.label - (edge.label > out ? 1 : 0),
            })),
          };
          expect(decide(graph, bad, (label) => label !== out).length > 0).toBe(
            breaksLiveness(fewer, bad, false),
          );
        },
      ),
      { numRuns: 1500 },
    );
  }, 60_000);

  it('goes round in a cycle that closes, is fair and passes the bad state', () => {
    fc.assert(
      fc.property(smallGraph(20), fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (graph, bad) => {
        const cycles = new Cycles(
          rowsOf(graph),
          graph.fairness.map((kind, label) => ({ id: `a${label}`, kind })),
        );
        for (const component of decide(graph, bad, () => true)) {
          const cycle = cycles.around(component.states, component.bad);
          const states = [component.bad, ...cycle.map(({ to }) => to)];
          expect(bad[component.bad]).toBe(true);
          expect(states.at(-1)).toBe(component.bad);
          for (const [place, { from, to, label }] of cycle.entries()) {
            expect(from).toBe(states[place]);
            expect(
              graph.edges.some(
                (each) => each.from === from && each.to === to && (each.label ?? unlabelled) === label,
              ),
            ).toBe(true);
          }
          const onlyCycle = { ...graph, states: 8, edges: graph.edges };
          const inside = new Set(states);
          for (const [label, kind] of onlyCycle.fairness.entries()) {
            if (cycle.some((step) => step.label === label)) continue;
            const enabled = [...inside].filter((state) =>
              graph.edges.some((edge) => edge.from === state && edge.to !== state && edge.label === label),
            );
            expect(kind === 'weak' ? enabled.length < inside.size : enabled.length === 0).toBe(true);
          }
        }
      }),
      { numRuns: 2000 },
    );
  }, 60_000);
});

const everywhere: EventuallyAlways['within'] = { reads: [], holds: () => true };

function eventually(holds: EventuallyAlways['clauses'][number]['holds'], reads: string[]): EventuallyAlways {
  return {
    id: 'settles',
    says: '',
    violation: '',
    kind: 'eventually-always',
    witnesses: [],
    within: everywhere,
    clauses: [{ reads, holds }],
  };
}

function isRefused(error: unknown): undefined {
  if (!(error instanceof SystemError)) throw error;
}

describe('check of liveness', () => {
  it('agrees with trying every set of states of small random systems', async () => {
    let decided = 0;
    await fc.assert(
      fc.asyncProperty(randomSystem, fc.nat(2), async (system, bad) => {
        const graph = graphOf(system, 11);
        fc.pre(graph !== undefined);
        const property = eventually((at) => at('p0').value !== `s${bad}`, ['p0']);
        const report = await check(system, [property]);
        const world = graph?.world as World;
        const isBad = (graph?.found ?? []).map((state) => world.reader(state)('p0').value === `s${bad}`);
        const broken = breaksLiveness(graph as SmallGraph, isBad, false);
        expect(report.properties[0]?.verdict).toBe(broken ? 'violated' : 'proved');
        decided += 1;
      }),
      { numRuns: 300 },
    );
    expect(decided).toBeGreaterThan(60);
  }, 60_000);

  it('says the same of bits as of a hash table', async () => {
    let decided = 0;
    await fc.assert(
      fc.asyncProperty(randomSystem, fc.nat(2), async (system, bad) => {
        const property = eventually((at) => at('p0').value !== `s${bad}`, ['p0']);
        const limits = { maxStates: 3000 };
        const hashed = await check(system, [property], limits).catch(isRefused);
        fc.pre(hashed?.complete === true);
        const dense = await check(system, [property], { ...limits, search: 'dense' }).catch(isRefused);
        fc.pre(dense !== undefined);
        expect(dense?.properties).toEqual(hashed?.properties);
        if (hashed?.properties[0]?.verdict === 'proved') decided += 1;
      }),
      { numRuns: 200 },
    );
    expect(decided).toBeGreaterThan(20);
  }, 60_000);

  it('needs what it says that it needs, and no more', async () => {
    let needed = 0;
    await fc.assert(
      fc.asyncProperty(randomSystem, fc.nat(2), async (system, bad) => {
        const property = eventually((at) => at('p0').value !== `s${bad}`, ['p0']);
        fc.pre(graphOf(system, 300) !== undefined);
        const needs = (await check(system, [property])).properties[0]?.needs;
        fc.pre(needs !== undefined);
        const withFair = (ids: readonly string[]): System => ({
          ...system,
          choices: system.choices.map(({ fairness, ...choice }) =>
            ids.includes(choice.id) && fairness !== undefined ? { ...choice, fairness } : choice,
          ),
        });
        const verdict = async (ids: readonly string[]): Promise<unknown> =>
          (await check(withFair(ids), [property])).properties[0]?.verdict;
        const ids = (needs ?? []).filter((id) => system.choices.some((choice) => choice.id === id));
        expect(await verdict(ids)).toBe('proved');
        for (const dropped of ids) {
          needed += 1;
          // The choices are tried first, so each broke the proof with all assumptions about timers still in force.
          expect(await verdict(ids.filter((id) => id !== dropped))).toBe('violated');
        }
      }),
      { numRuns: 200 },
    );
    expect(needed).toBeGreaterThan(5);
  }, 60_000);

  const toggling = (choices: Choice[]): System =>
    defineSystem({
      id: 'lamp',
      parts: {
        lamp: {
          machine: createMachine({
            id: 'lamp',
            initial: 'off',
            states: {
              off: { on: { TURN_ON: 'on', FLICKER: 'flickering' } },
              flickering: { on: { FLICKER: 'off' } },
              on: { on: { TOUCH: 'on' } },
            },
          }),
        },
      },
      wiring: () => [],
      choices,
    });
  const on = eventually((at) => at('lamp').value === 'on', ['lamp']);
  const flicker: Choice = { id: 'flicker', deliver: [{ to: 'lamp', event: { type: 'FLICKER' } }] };
  const turnOn: Choice = { id: 'turn-on', deliver: [{ to: 'lamp', event: { type: 'TURN_ON' } }] };

  it('lets a run stand still if nothing fair is enabled, since nothing is assumed of the rest', async () => {
    const report = await check(toggling([turnOn]), [on]);
    expect(report.properties[0]).toMatchObject({ verdict: 'violated', trace: { picks: [], loop: 0 } });
  });

  it('asks weak fairness to be enough where an action stays possible', async () => {
    const report = await check(toggling([{ ...turnOn, fairness: 'weak' }]), [on]);
    expect(report.properties[0]).toMatchObject({
      verdict: 'proved',
      fairness: ['turn-on'],
      needs: ['turn-on'],
    });
  });

  it('finds the cycle in which a weakly fair action is possible only now and then', async () => {
    const report = await check(toggling([{ ...turnOn, fairness: 'weak' }, flicker]), [on]);
    expect(report.properties[0]).toMatchObject({
      verdict: 'violated',
      trace: { picks: [{ id: 'flicker' }], loop: 1 },
    });
    const back: Choice = { ...flicker, fairness: 'weak' };
    const fairReport = await check(toggling([{ ...turnOn, fairness: 'weak' }, back]), [on]);
    expect(fairReport.properties[0]).toMatchObject({
      verdict: 'violated',
      trace: { picks: [{ id: 'flicker' }, { id: 'flicker' }], loop: 0 },
    });
  });

  it('asks strong fairness, and says so, where an action is possible only now and then', async () => {
    const back: Choice = { ...flicker, fairness: 'weak' };
    const report = await check(toggling([{ ...turnOn, fairness: 'strong' }, back]), [on]);
    expect(report.properties[0]).toMatchObject({
      verdict: 'proved',
      fairness: ['turn-on', 'flicker'],
      needs: ['turn-on', 'flicker'],
    });
  });

  it('does not take a step that changes nothing for progress', async () => {
    const touch: Choice = {
      id: 'touch',
      fairness: 'strong',
      deliver: [{ to: 'lamp', event: { type: 'TOUCH' } }],
    };
    const dark = eventually((at) => at('lamp').value === 'off', ['lamp']);
    const report = await check(toggling([turnOn, touch]), [dark]);
    expect(report.properties[0]).toMatchObject({
      verdict: 'violated',
      trace: { picks: [{ id: 'turn-on' }], loop: 1 },
    });
  });

  it('decides several properties, in one region or in different ones', async () => {
    const fair: Choice[] = [{ ...turnOn, fairness: 'weak' }];
    const off = { ...eventually((at) => at('lamp').value === 'off', ['lamp']), id: 'stays off' };
    const lit = { reads: ['lamp'], holds: (at: Reader) => at('lamp').value === 'on' };
    const report = await check(toggling(fair), [
      on,
      off,
      { ...off, id: 'off when lit', within: lit },
      { ...on, id: 'on when lit', within: lit },
    ]);
    expect(report.properties.map(({ verdict }) => verdict)).toEqual([
      'proved',
      'violated',
      'violated',
      'proved',
    ]);
    expect(report.properties.map(({ needs }) => needs)).toEqual([['turn-on'], undefined, undefined, []]);
  });

  it('is incomplete if the memory that it may use is not enough for the graph', async () => {
    const wide = defineSystem({
      id: 'wide',
      parts: {
        lamp: {
          machine: createMachine({
            types: {} as { context: { count: number } },
            id: 'lamp',
            context: { count: 0 },
            on: { UP: { actions: assign({ count: ({ context }) => (context.count + 1) % 2000 }) } },
          }),
        },
      },
      wiring: () => [],
      choices: [{ id: 'up', deliver: [{ to: 'lamp', event: { type: 'UP' } }] }],
    });
    const never = eventually((at) => at('lamp').context.count < 0, ['lamp']);
    const enough = await check(wide, [never]);
    expect(enough.properties[0]?.verdict).toBe('violated');
    const report = await check(wide, [never], { maxBytes: enough.bytesPerState * enough.states + 50_000 });
    expect(report).toMatchObject({ states: 2000, complete: true, stopped: 'out-of-memory' });
    expect(report.properties[0]).toMatchObject({ verdict: 'incomplete', reason: 'out-of-memory' });
  });

  it('is fair to the timers of each part on its own', async () => {
    const restless = createMachine({
      id: 'restless',
      initial: 'a',
      states: { a: { after: { 0: 'b' } }, b: { after: { 0: 'a' } } },
    });
    const late = createMachine({
      id: 'late',
      initial: 'on',
      states: { on: { after: { 0: 'off' } }, off: {} },
    });
    const system = defineSystem({
      id: 'timers',
      parts: { restless: { machine: restless }, late: { machine: late } },
      wiring: () => [],
      choices: [],
    });
    const off = eventually((at) => at('late').value === 'off', ['late']);
    expect((await check(system, [off])).properties[0]).toMatchObject({
      verdict: 'proved',
      fairness: ['timers:restless', 'timers:late'],
      needs: ['timers:late'],
    });
  });

  it('refuses a region that can be left', async () => {
    const property = {
      ...on,
      within: {
        reads: ['lamp'],
        holds: (at: Parameters<typeof on.within.holds>[0]) => at('lamp').value === 'off',
      },
    };
    const checking = check(toggling([turnOn]), [property]);
    await expect(checking).rejects.toThrow(SystemError);
    await expect(checking).rejects.toThrow(/'turn-on' leaves it again/);
  });

  it('calls a promise in a region that is never reached vacuous', async () => {
    const report = await check(toggling([turnOn]), [{ ...on, within: { reads: [], holds: () => false } }]);
    expect(report.properties[0]?.verdict).toBe('vacuous');
  });
});

function graphOf(
  system: System,
  statesMax: number,
): (SmallGraph & { world: World; found: readonly (readonly number[])[] }) | undefined {
  let world: World;
  try {
    world = new World(system);
  } catch {
    return undefined;
  }
  const found: (readonly number[])[] = [world.initial];
  const places = new Map([[world.initial.join(' '), 0]]);
  const fair = system.choices.filter(({ fairness: kind }) => kind !== undefined);
  const ids = [...fair.map(({ id }) => id), ...system.parts.map(({ name }) => `timers of ${name}`), 'time'];
  const fairness = ids.map((id) => fair.find((choice) => choice.id === id)?.fairness ?? 'weak');
  const edges: { from: number; to: number; label: number | undefined }[] = [];
  for (let from = 0; from < found.length; from += 1) {
    const state = found[from] as readonly number[];
    try {
      for (const pick of world.picks(state)) {
        const { next } = world.step(state, pick);
        const key = next.join(' ');
        const to = places.get(key) ?? found.push(next) - 1;
        places.set(key, to);
        if (found.length > statesMax) return undefined;
        const id =
          pick.kind === 'choice' ? pick.id : pick.kind === 'timer' ? `timers of ${pick.part}` : 'time';
        edges.push({ from, to, label: ids.includes(id) ? ids.indexOf(id) : undefined });
      }
    } catch {
      return undefined;
    }
  }
  return { states: found.length, edges, fairness, world, found };
}
