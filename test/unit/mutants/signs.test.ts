/** What tells a mutant from the model, how strong it is, and what is made of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { SystemFindings } from '../../mutants/baseline.ts';
import { differences, signs } from '../../mutants/compare-findings.ts';
import type { Explanation } from '../../mutants/explanation.ts';
import { unjudged } from '../../mutants/judge.ts';
import type { Mutant } from '../../mutants/mutant.ts';
import { outcomesOf, staleExplanations, unlikeRecorded } from '../../mutants/outcome.ts';
import { foundIn } from '../../mutants/resume.ts';

const mutant: Mutant = { id: 'link:any', operator: 'removal', of: 'link' };
const model: SystemFindings = {
  properties: [{ id: 'safe', verdict: 'violated', traceLength: 5 }],
  uncovered: ['link:never'],
  deadlocks: false,
  timeLocks: false,
  states: 100,
  edges: 200,
  complete: true,
};
const signsOf = (change: Partial<SystemFindings>): string[] =>
  differences('design', model, { ...model, ...change }, mutant).map(({ sign }) => sign);

describe('size', () => {
  test.each([{ states: 101 }, { edges: 199 }])('tells a mutant by %o alone', (change) => {
    expect(signsOf(change)).toEqual(['size']);
  });

  test('says what was found and what was expected', () => {
    const [difference] = differences('design', model, { ...model, edges: 199 }, mutant);
    expect(difference?.says).toBe('100 states and 199 edges instead of 100 states and 200 edges');
  });

  test('tells nothing where it is the same, or where the search did not end', () => {
    expect(signsOf({})).toEqual([]);
    expect(signsOf({ states: 50, edges: 90, complete: false })).toEqual([]);
  });

  test('is weaker than everything else that can be told', () => {
    const found = {
      properties: [{ id: 'safe', verdict: 'proved' as const }],
      uncovered: [],
      deadlocks: true,
      timeLocks: true,
      states: 101,
    };
    expect(signsOf(found)).toEqual(['verdict', 'deadlock', 'time-lock', 'coverage', 'size']);
    expect(signs.slice(-3)).toEqual(['refusal', 'coverage', 'size']);
  });

  test('makes the explanation of a survivor needless', () => {
    const explanation: Explanation = { kind: 'gap', group: 'any', reason: 'any', mutants: [mutant.id] };
    const outcomes = outcomesOf([{ ...unjudged(mutant.id), killedBy: 'size' }], 1, [explanation]);
    expect(outcomes.map(({ fate }) => fate)).toEqual(['size']);
    expect(staleExplanations(outcomes, new Set([mutant.id]), [explanation])).toEqual([
      "link:any: explained, and its fate is 'size'",
    ]);
  });
});

describe('the record', () => {
  const instance = { name: 'design', design: 'design' };
  const unlike = (systems?: readonly { readonly states: number; readonly edges: number }[]): string[] =>
    unlikeRecorded(
      { instance, systems: [model], questions: {} },
      {
        designs: [
          { ...instance, ...(systems === undefined ? {} : { systems }), properties: model.properties },
        ],
      },
    );

  test('has to have the sizes of the model as it is', () => {
    expect(unlike([{ states: 100, edges: 200 }])).toEqual([]);
    const told = 'design · a system has 100 states and 200 edges, and not as recorded';
    expect(unlike([{ states: 100, edges: 201 }])).toEqual([told]);
    expect(unlike()).toEqual([told]);
  });
});

describe('going on from an earlier run', () => {
  const directory = mkdtempSync(join(tmpdir(), 'routeproof-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'found.json');

  test('takes its judgements', () => {
    const outcome = { ...unjudged(mutant.id), fate: 'unfinished' };
    writeFileSync(file, JSON.stringify({ signs, mutants: [outcome] }));
    expect(foundIn(file)).toEqual([unjudged(mutant.id)]);
  });

  test.each([{}, { signs: signs.slice(0, -1) }])('is refused if it looked for other signs: %o', (older) => {
    writeFileSync(file, JSON.stringify({ ...older, mutants: [] }));
    expect(() => foundIn(file)).toThrow(/--resume: .*looked for other signs/);
  });
});
