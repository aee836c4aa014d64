/** Mistakes that checkers have made with liveness, each as a graph on which it shows. */
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { check } from '../../../src/check.ts';
import type { PropertyReport } from '../../../src/index.ts';
import { type Choice, defineSystem, type FairnessKind } from '../../../src/system.ts';

/** A graph whose first state is `a`: its edges by action, such as `{ go: ['ab', 'bc'] }`. */
async function decide(
  edges: Readonly<Record<string, readonly string[]>>,
  fairness: Readonly<Record<string, FairnessKind>>,
  good: readonly string[],
  search: 'hashed' | 'dense',
): Promise<PropertyReport | undefined> {
  const names = [...new Set(Object.values(edges).flat().join(''))].sort();
  const machine = createMachine({
    id: 'walker',
    initial: 'a',
    states: Object.fromEntries(
      names.map((name) => [
        name,
        {
          on: Object.fromEntries(
            Object.entries(edges).flatMap(([action, steps]) =>
              steps.filter((step) => step[0] === name).map((step) => [action, step[1]]),
            ),
          ),
        },
      ]),
    ) as never,
  });
  const choices = Object.keys(edges).map(
    (id): Choice => ({
      id,
      deliver: [{ to: 'walker', event: { type: id } }],
      ...(fairness[id] === undefined ? {} : { fairness: fairness[id] }),
    }),
  );
  const system = defineSystem({
    id: 'graph',
    parts: { walker: { machine: machine as never } },
    wiring: () => [],
    choices,
  });
  const { properties } = await check(
    system,
    [
      {
        id: 'good-for-good',
        kind: 'eventually-always',
        says: '',
        violation: '',
        witnesses: [],
        within: { reads: [], holds: () => true },
        clauses: [{ reads: ['walker'], holds: (at) => good.includes(String(at('walker').value)) }],
      },
    ],
    { search },
  );
  return properties[0];
}

const walk = (report: PropertyReport | undefined): unknown[] =>
  (report?.trace?.picks ?? []).map((pick) => (pick.kind === 'choice' ? pick.id : pick.kind));

describe.each(['hashed', 'dense'] as const)('a mistake of others, %s', (search) => {
  it('stuttering dropped: a run may stop where nothing fair is possible', async () => {
    const report = await decide({ go: ['ab'] }, {}, ['b'], search);
    expect(report).toMatchObject({ verdict: 'violated', trace: { picks: [], loop: 0 } });
  });

  it('fairness asked of a whole component: a smaller cycle in it is fair, though the whole is not', async () => {
    // leave is strongly fair and possible in c only; the component is {a, b, c}, and a run may keep to a and b.
    const edges = { go: ['ab', 'ba'], far: ['bc'], back: ['ca'], leave: ['cd'] };
    const report = await decide(edges, { go: 'weak', back: 'weak', leave: 'strong' }, ['c', 'd'], search);
    expect(report?.verdict).toBe('violated');
    expect(new Set(walk(report).slice(report?.trace?.loop))).toEqual(new Set(['go']));
  });

  it('fairness asked of a whole component: an action taken somewhere in it is not taken in every cycle', async () => {
    // step is weakly fair and possible in a and b; the cycle between them that takes only go is unfair to it.
    const edges = { go: ['ab', 'ba'], step: ['ac', 'bc'], back: ['ca'] };
    const report = await decide(edges, { step: 'weak', back: 'weak' }, ['c'], search);
    expect(report?.verdict).toBe('violated');
    expect(walk(report).slice(report?.trace?.loop)).toContain('step');
  });

  it('what was promised lost on joins: the way on which it was kept hides the one on which it was not', async () => {
    // Both ways lead to d, and from there back to a; only one passes the bad c.
    const edges = { left: ['ab'], right: ['ac'], join: ['bd', 'cd'], again: ['da'] };
    const fair: Record<string, FairnessKind> = { left: 'weak', right: 'weak', join: 'weak', again: 'weak' };
    const report = await decide(edges, fair, ['a', 'b', 'd'], search);
    expect(report?.verdict).toBe('violated');
    expect(walk(report)).toContain('right');
    expect((await decide({ ...edges, right: [] }, fair, ['a', 'b', 'd'], search))?.verdict).toBe('proved');
  });

  it('a component in the order of discovery shown as a cycle: two loops through one state are walked step by step', async () => {
    const edges = { go: ['ab', 'bc', 'ca'], turn: ['bd', 'de', 'eb'] };
    const fair: Record<string, FairnessKind> = { go: 'weak', turn: 'weak' };
    const report = await decide(edges, fair, ['a', 'b', 'c', 'd'], search);
    expect(report?.verdict).toBe('violated');
    let at = 'a';
    for (const action of walk(report)) {
      const step = edges[action as keyof typeof edges].find((each) => each[0] === at);
      expect(step).toBeDefined();
      at = step?.[1] ?? '';
    }
  });
});
