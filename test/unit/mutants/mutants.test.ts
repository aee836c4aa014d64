/** That mutation testing still bites: some mutants that must be killed, by which property, and some that must not. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Baseline, baselineOf } from '../../mutants/baseline.ts';
import { allMutants } from '../../mutants/catalogue.ts';
import { explanations } from '../../mutants/explanations.ts';
import { type Instance, instances } from '../../mutants/instances.ts';
import { type Judgement, judge, unjudged } from '../../mutants/judge.ts';
import type { Mutant } from '../../mutants/mutant.ts';

const mutants = new Map(allMutants().map((mutant) => [mutant.id, mutant]));
/** Few enough for a small space, and enough for each property to have something to say. */
const faults = ['half-open', 'backup-restored', 'cni-crashed', 'pod-recreated', 'interface-flapped'] as const;
const options = { maxStates: 1_000_000, thorough: false };

describe('the catalogue', () => {
  test('gives each mutant a name of its own', () => {
    expect(mutants.size).toBe(allMutants().length);
  });

  test('has every mutant that is explained, once', () => {
    const explained = explanations.flatMap((explanation) => explanation.mutants);
    expect(explained.filter((id) => !mutants.has(id))).toEqual([]);
    expect(new Set(explained).size).toBe(explained.length);
  });

  test('makes each mutant of the machine with the same implementations', () => {
    for (const { id, of, mutate, deaf } of mutants.values()) {
      expect([id, mutate === undefined]).toEqual([id, of === 'wiring']);
      expect([id, deaf === undefined]).toEqual([id, of !== 'wiring']);
    }
  });
});

describe('a mutant of the recommended design', () => {
  let fenced: Baseline;
  beforeAll(async () => {
    fenced = await baselineOf({ name: 'fenced', design: 'fenced', faults }, options.maxStates);
  }, 60_000);

  async function judged(id: string): Promise<Judgement> {
    const mutant = mutants.get(id);
    if (mutant === undefined) throw new Error(`there is no mutant '${id}'`);
    return judge(mutant, unjudged(id), fenced, [], options);
  }

  test.each([
    ['cleanup:view endpoint.reported[0] removed', 'route-repaired'],
    ['cleanup:decision.fencing fence.answered[1] removed', 'no-forgotten-route-deleted'],
    [
      'watcher:reconnecting.dialling connection.opened[1] target resuming instead of listing',
      'route-repaired',
    ],
    ['apply:ready apply.ran target gated instead of ready', 'route-repaired'],
    ['wiring:apply.started to cleanup dropped', 'orphan-removed'],
  ])(
    '%s is killed by %s',
    async (id, property) => {
      const { killedBy, differences } = await judged(id);
      expect(killedBy).toBe('verdict');
      expect(differences.map((difference) => difference.property)).toContain(property);
    },
    60_000,
  );

  test.each(['cni:present.removing cni.crashed removed', 'link:closed changes.stopped removed'])(
    '%s weakens the world, and is told by the size of a space alone',
    async (id) => {
      const { killedBy, differences } = await judged(id);
      expect(killedBy).toBe('size');
      expect(differences[0]?.says).toMatch(/^\d+ states and \d+ edges instead of/);
    },
    60_000,
  );

  test('is known to be the same without a search where no question is answered otherwise', async () => {
    const { killedBy, sameAnswers } = await judged('cleanup:view endpoint.reported branches 0 and 1 swapped');
    expect([killedBy, sameAnswers]).toEqual([undefined, ['fenced']]);
  });
});

test('a budget of faults that is not kept changes a verdict', async () => {
  const id = 'environment:changing fault.struck[1] action countStrike dropped';
  const once = instances.find(({ strikes, design }) => strikes === 1 && design === 'stock-client');
  const baseline = await baselineOf(once as Instance, options.maxStates);
  const { differences } = await judge(mutants.get(id) as Mutant, unjudged(id), baseline, [], options);
  expect(differences[0]).toMatchObject({ sign: 'verdict', property: 'no-known-route-deleted' });
}, 60_000);
