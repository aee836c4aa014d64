import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Design, findDesign, phases } from '../../models/index.ts';
import { type Obligation, obligations } from '../../properties/index.ts';
import { check } from '../../src/check.ts';
import { type FuzzReport, fuzz, runsOf } from '../../src/random/fuzz.ts';
import { mergeReports, missingShards } from '../../src/random/merge.ts';
import { WalkPlayer } from '../../src/random/play-walk.ts';
import { Walker } from '../../src/random/walker.ts';
import { walks } from '../../src/random/walks.ts';
import { replay, samePick } from '../../src/trace/replay.ts';

function obligationOf(id: string, endpoints: number, wanted?: readonly string[]): Obligation {
  const [obligation] = obligations(findDesign(id) as Design, { endpoints }, wanted);
  return obligation as Obligation;
}

const settings = { runs: 24, steps: 40, seed: 7 };

describe('a campaign', () => {
  it('says the same for the same seed', async () => {
    const { system, properties } = obligationOf('felix-3.0.1', 1, ['no-known-route-deleted']);
    const options = { ...settings, runs: 60, phases: phases(1) };
    expect(await fuzz(system, properties, options)).toEqual(await fuzz(system, properties, options));
  });

  it('in shards says what it says as a whole', async () => {
    const { system, properties } = obligationOf('fenced', 3);
    const whole = await fuzz(system, properties, { ...settings, phases: phases(3) });
    const parts: FuzzReport[] = [];
    for (const index of [3, 1, 2]) {
      const shard = { index, of: 3 };
      parts.push(await fuzz(system, properties, { ...settings, shard, phases: phases(3) }));
    }
    const merged = mergeReports(parts as [FuzzReport, ...FuzzReport[]]);
    expect({ ...merged, shards: whole.shards }).toEqual(whole);
    expect(missingShards(merged)).toEqual([]);
    const two = parts.slice(0, 2) as [FuzzReport, FuzzReport];
    expect(missingShards(mergeReports(two))).toEqual([2]);
    expect(() => mergeReports([two[0], two[0]])).toThrow('shard 3/3 is there twice');
    expect(() => mergeReports([two[0], { ...two[1], seed: 8 }])).toThrow('seed is 7 in one and 8 in another');
  });

  it('goes on with no report whose walks were drawn otherwise', async () => {
    const { system, properties } = obligationOf('fenced', 1);
    const options = { ...settings, runs: 2, phases: phases(1) };
    const first = await fuzz(system, properties, { ...options, runs: 1 });
    for (const other of [{ steps: 30 }, { seed: 8 }])
      await expect(fuzz(system, properties, { ...options, ...other, resume: first })).rejects.toThrow(
        `the report to go on from was drawn otherwise: its drawing is '${first.drawing}'`,
      );
  });

  it('broken off and resumed says what it says in one go', async () => {
    const { system, properties } = obligationOf('felix-3.29', 1, [
      'no-forgotten-route-deleted',
      'fail-static',
    ]);
    const options = { ...settings, runs: 40, phases: phases(1) };
    const first = await fuzz(system, properties, { ...options, runs: 13 });
    const rest = await fuzz(system, properties, { ...options, resume: first });
    expect(rest).toEqual(await fuzz(system, properties, options));
  });

  it('hears a request to stop, and a limit of time', async () => {
    const { system, properties } = obligationOf('fenced', 3);
    const abort = new AbortController();
    const long = { ...settings, runs: 1_000_000 };
    setTimeout(() => abort.abort(), 150);
    const stopped = await fuzz(system, properties, { ...long, signal: abort.signal });
    expect(stopped).toMatchObject({ stopped: 'interrupted' });
    expect(stopped.shards[0]?.done).toBeLessThan(1_000_000);
    expect(await fuzz(system, properties, { ...long, timeLimitMs: 100 })).toMatchObject({
      stopped: 'time-limit',
    });
  });

  it('has every run in exactly one shard', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.integer({ min: 1, max: 20 }), (runs, of) => {
        const parts = Array.from({ length: of }, (_, place) => runsOf(runs, { index: place + 1, of }));
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(runs);
      }),
    );
  });
});

describe('a violation', () => {
  it.each(['no-known-route-deleted', 'route-repaired', 'staleness-detected'])(
    'of %s is shrunk to a shortest run that violates it, and is found again from its seed and path',
    async (id) => {
      const { system, properties } = obligationOf('felix-3.0.1', 1, [id]);
      const { properties: found } = await fuzz(system, properties, { ...settings, runs: 500, steps: 60 });
      const violation = found[0]?.violation;
      if (violation === undefined) throw new Error('it was not found');
      const { trace, seed, path, foundLength } = violation;
      const [{ trace: shortest } = {}] = (await check(system, properties)).properties;
      expect(trace.picks).toHaveLength(shortest?.picks.length ?? Infinity);
      expect(trace.picks.length).toBeLessThanOrEqual(foundLength);
      expect(replay(system, trace.picks).steps).toHaveLength(trace.picks.length);

      const walker = new Walker(system);
      const player = new WalkPlayer(system);
      const arbitrary = walks(walker, { steps: 60, properties });
      const { counterexample } = fc.check(
        fc.property(arbitrary, (walk) => player.play(walk, properties) === undefined),
        { seed, path, numRuns: 1, endOnFailure: true },
      );
      const picks = counterexample?.[0].picks ?? [];
      expect(picks.every((pick, place) => samePick(pick, trace.picks[place] as typeof pick))).toBe(true);
      expect(picks).toHaveLength(trace.picks.length);
    },
  );
});
