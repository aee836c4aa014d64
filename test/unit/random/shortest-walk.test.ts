import { describe, expect, it } from 'vitest';
import { type Design, findDesign } from '../../../models/index.ts';
import { obligations } from '../../../properties/index.ts';
import { check } from '../../../src/check.ts';
import { WalkPlayer } from '../../../src/random/play-walk.ts';
import { isSpare, shortestWalk } from '../../../src/random/shortest-walk.ts';
import { Walker } from '../../../src/random/walker.ts';

const bounds = { length: 100, states: 1_000_000 };

function systemOf(design: string, property: string) {
  const [obligation] = obligations(findDesign(design) as Design, { endpoints: 1 }, [property]);
  if (obligation === undefined) throw new Error(`nothing is decided about ${property}`);
  const { system, properties } = obligation;
  const spare = system.choices.filter(isSpare).map(({ id }) => id);
  return { walker: new Walker(system), property: properties[0] as (typeof properties)[number], spare };
}

describe('the shortest walk', () => {
  it.each([
    ['felix-3.0.1', 'no-known-route-deleted'],
    ['felix-3.0.1', 'route-repaired'],
    ['felix-3.0.1', 'staleness-detected'],
  ])('in %s that violates %s is as long as the exhaustive search says', async (design, id) => {
    const { walker, property, spare } = systemOf(design, id);
    const [{ trace } = {}] = (await check(walker.system, [property])).properties;
    const { walk, complete } = shortestWalk(walker, property, new Set(spare), bounds);
    if (walk === undefined) throw new Error('it was not found');
    expect(complete).toBe(true);
    expect(walk.picks).toHaveLength(trace?.picks.length ?? Infinity);
    expect(new WalkPlayer(walker.system).play(walk, [property])).toMatchObject({ property: id, walk });

    // It is found again in the system that lacks every choice which it does not make.
    const made = walk.picks.flatMap((pick) => (pick.kind === 'choice' ? [pick.id] : []));
    expect(shortestWalk(walker, property, new Set(made), bounds).walk?.picks).toHaveLength(walk.picks.length);
    const shorter = shortestWalk(walker, property, new Set(made), { ...bounds, length: walk.picks.length });
    expect(shorter).toEqual({ complete: true });
  });

  it('is not there where no fault strikes', () => {
    const { walker, property } = systemOf('felix-3.0.1', 'no-known-route-deleted');
    expect(shortestWalk(walker, property, new Set(), bounds)).toEqual({ complete: true });
  });

  it.each(['no-known-route-deleted', 'route-repaired'])('of %s is not found in too large a system', (id) => {
    const { walker, property, spare } = systemOf('felix-3.0.1', id);
    const few = { ...bounds, states: 1000 };
    expect(shortestWalk(walker, property, new Set(spare), few)).toEqual({ complete: false });
  });
});
