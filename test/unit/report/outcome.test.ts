import { describe, expect, test } from 'vitest';
import type { CheckReport, PropertyReport, Verdict } from '../../../src/check.ts';
import { exitCodeOf, findings, type Outcome } from '../../../src/report/outcome.ts';
import { kettleSystem, staysFull } from './kettle.ts';

interface Situation {
  readonly uncovered?: readonly string[];
  readonly counts?: boolean;
  readonly stopped?: 'interrupted';
  readonly deadlocks?: number;
  readonly timeLocks?: number;
}

function outcome(
  verdicts: readonly Verdict[],
  { uncovered = [], counts = true, stopped, deadlocks = 0, timeLocks }: Situation = {},
): Outcome {
  const properties = verdicts.map(
    (verdict, index): PropertyReport => ({
      id: `p${index}`,
      kind: 'invariant',
      verdict,
      ...(verdict === 'violated'
        ? {
            trace: {
              system: 'kettle',
              property: `p${index}`,
              picks: Array(9 - index).fill({ kind: 'time' }),
            },
          }
        : {}),
    }),
  );
  const report = {
    properties,
    complete: stopped === undefined,
    ...(stopped && { stopped }),
    structure: { restStates: 0, deadlocks, ...(timeLocks === undefined ? {} : { timeLocks }) },
  } as unknown as CheckReport;
  return {
    name: 'kettle',
    checks: [
      {
        system: kettleSystem(),
        properties: verdicts.map((_, index) => ({ ...staysFull, id: `p${index}` })),
        report,
      },
    ],
    coverage: { happened: [], uncovered, offByDesign: ['x#0'] },
    coverageCounts: counts,
  };
}

describe('the exit code', () => {
  test.each([
    ['all proved', 0, [outcome(['proved', 'proved'])]],
    ['one violated', 1, [outcome(['proved', 'violated'])]],
    ['a deadlock', 1, [outcome(['proved'], { deadlocks: 1 })]],
    ['a time-lock', 1, [outcome(['proved'], { timeLocks: 1 })]],
    ['no time-lock', 0, [outcome(['proved'], { timeLocks: 0 })]],
    ['incomplete', 3, [outcome(['proved', 'incomplete'])]],
    ['vacuous', 4, [outcome(['proved', 'vacuous'])]],
    ['uncovered', 4, [outcome(['proved'], { uncovered: ['x#1'] })]],
    ['uncovered where it does not count', 0, [outcome(['proved'], { uncovered: ['x#1'], counts: false })]],
    ['violated goes before incomplete', 1, [outcome(['incomplete']), outcome(['violated'])]],
    ['incomplete goes before vacuous', 3, [outcome(['vacuous']), outcome(['incomplete'])]],
    [
      'interrupted goes before violated',
      130,
      [outcome(['violated']), outcome(['incomplete'], { stopped: 'interrupted' })],
    ],
  ] as const)('%s', (_name, code, outcomes) => {
    expect(exitCodeOf(outcomes)).toBe(code);
  });
});

test('findings come shortest first', () => {
  expect(findings(outcome(['violated', 'proved', 'violated'])).map(({ property }) => property?.id)).toEqual([
    'p2',
    'p0',
  ]);
});
