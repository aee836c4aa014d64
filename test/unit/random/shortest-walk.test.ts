import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { type Design, findDesign } from '../../../models/index.ts';
import { obligations } from '../../../properties/index.ts';
import { check } from '../../../src/check.ts';
import type { Reader } from '../../../src/property.ts';
import { WalkPlayer } from '../../../src/random/play-walk.ts';
import { isSpare, shortestWalk } from '../../../src/random/shortest-walk.ts';
import { World } from '../../../src/semantics/world.ts';
import { defineSystem } from '../../../src/system.ts';

const bounds = { length: 100, states: 1_000_000 };

function systemOf(design: string, property: string) {
  const [obligation] = obligations(findDesign(design) as Design, { endpoints: 1 }, [property]);
  if (obligation === undefined) throw new Error(`nothing is decided about ${property}`);
  const { system, properties } = obligation;
  const spare = system.choices.filter(isSpare).map(({ id }) => id);
  return { world: new World(system), property: properties[0] as (typeof properties)[number], spare };
}

describe('the shortest walk', () => {
  it.each([
    ['felix-3.0.1', 'no-known-route-deleted'],
    ['felix-3.0.1', 'route-repaired'],
    ['felix-3.0.1', 'staleness-detected'],
  ])('in %s that violates %s is as long as the exhaustive search says', async (design, id) => {
    const { world, property, spare } = systemOf(design, id);
    const [{ trace } = {}] = (await check(world.system, [property])).properties;
    const { walk, complete } = shortestWalk(world, property, new Set(spare), bounds);
    if (walk === undefined) throw new Error('it was not found');
    expect(complete).toBe(true);
    expect(walk.picks).toHaveLength(trace?.picks.length ?? Infinity);
    expect(new WalkPlayer(world.system).play(walk, [property])).toMatchObject({ property: id, walk });

    // It is found again in the system that lacks every choice which it does not make.
    const made = walk.picks.flatMap((pick) => (pick.kind === 'choice' ? [pick.id] : []));
    expect(shortestWalk(world, property, new Set(made), bounds).walk?.picks).toHaveLength(walk.picks.length);
    const shorter = shortestWalk(world, property, new Set(made), { ...bounds, length: walk.picks.length });
    expect(shorter).toEqual({ complete: true });
  });

  it('is not there where no fault strikes', () => {
    const { world, property } = systemOf('felix-3.0.1', 'no-known-route-deleted');
    expect(shortestWalk(world, property, new Set(), bounds)).toEqual({ complete: true });
  });

  it.each(['no-known-route-deleted', 'route-repaired'])('of %s is not found in too large a system', (id) => {
    const { world, property, spare } = systemOf('felix-3.0.1', id);
    const few = { ...bounds, states: 1000 };
    expect(shortestWalk(world, property, new Set(spare), few)).toEqual({ complete: false });
  });

  it('is not looked for beyond a state in which a machine is refused', () => {
    const counter = setup({
      types: { context: {} as { count: number | Date } },
      actions: {
        add: assign({ count: ({ context: { count } }) => (count === 3 ? new Date(0) : Number(count) + 1) }),
      },
    }).createMachine({ context: { count: 0 }, on: { add: { actions: 'add' } } });
    const system = defineSystem({
      id: 'counter',
      parts: { counter: { machine: counter } },
      wiring: () => [],
      choices: [{ id: 'add', deliver: [{ to: 'counter', event: { type: 'add' } }] }],
    });
    const upTo = (most: number) => ({
      id: 'small',
      kind: 'invariant' as const,
      says: '',
      violation: '',
      clauses: [{ reads: ['counter'], holds: (at: Reader) => at('counter').context.count <= most }],
      witnesses: [],
    });
    const search = (most: number) => shortestWalk(new World(system), upTo(most), new Set(['add']), bounds);
    expect(search(2).walk?.picks).toHaveLength(3);
    expect(search(3)).toEqual({ complete: false });
  });
});
