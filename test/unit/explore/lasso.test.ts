import { describe, expect, it } from 'vitest';
import { Cycles } from '../../../src/explore/lasso.ts';
import { unlabelled } from '../../../src/explore/region-graph.ts';
import type { FairnessKind } from '../../../src/system.ts';
import { type Edge, rowsOf } from './rows.ts';

function cyclesOf(states: number, kinds: readonly FairnessKind[], edges: readonly Edge[]): Cycles {
  return new Cycles(
    rowsOf(states, edges),
    kinds.map((kind, label) => ({ id: `a${label}`, kind })),
  );
}

/** The states of a cycle one after another, with the labels of fair actions between them. */
function around(cycles: Cycles, states: readonly number[], through: number): string {
  let at = through;
  const told = cycles.around(Int32Array.from(states), through).map(({ from, to, label }) => {
    expect(from).toBe(at);
    at = to;
    return label === unlabelled ? `${to}` : `${'abcd'[label]} ${to}`;
  });
  expect(at).toBe(through);
  return told.join(', ');
}

describe('a fair cycle', () => {
  it('stands still where nothing fair is enabled', () => {
    const cycles = cyclesOf(
      2,
      ['strong', 'weak'],
      [
        [0, 1],
        [1, 0, 0],
        [1, 0, 1],
      ],
    );
    expect(around(cycles, [0, 1], 0)).toBe('');
  });

  it('takes what is strongly fair and enabled on its way', () => {
    const cycles = cyclesOf(
      3,
      ['strong'],
      [
        [0, 1],
        [0, 2, 0],
        [1, 0],
        [2, 1],
      ],
    );
    expect(around(cycles, [0, 1, 2], 0)).toBe('a 2, 1, 0');
    expect(around(cycles, [0, 1, 2], 1)).toBe('');
  });

  it('takes what is weakly fair, or goes where it is disabled, whichever is nearer', () => {
    const far: Edge[] = [
      [0, 1],
      [1, 2],
      [2, 0],
    ];
    const near = cyclesOf(3, ['weak'], [...far, [0, 2, 0], [1, 0, 0]]);
    expect(around(near, [0, 1, 2], 0)).toBe('a 2, 0');
    const taken = cyclesOf(3, ['weak'], [...far, [0, 2, 0], [1, 0, 0], [2, 0, 0]]);
    expect(around(taken, [0, 1, 2], 0)).toBe('a 2, 0');
    const stop = cyclesOf(
      5,
      ['weak'],
      [
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 0],
        [0, 4, 0],
        [1, 4, 0],
        [2, 3, 0],
      ],
    );
    expect(around(stop, [0, 1, 2, 3], 0)).toBe('1, 2, 3, 0');
  });

  it('takes a step at hand before it looks further', () => {
    const cycles = cyclesOf(
      3,
      ['strong'],
      [
        [0, 1],
        [1, 2, 0],
        [2, 0],
        [0, 2, 0],
      ],
    );
    expect(around(cycles, [0, 1, 2], 0)).toBe('a 2, 0');
  });

  it('takes a step into a state that it has been in', () => {
    const cycles = cyclesOf(
      3,
      ['strong'],
      [
        [0, 1],
        [1, 0, 0],
        [0, 2, 0],
      ],
    );
    expect(around(cycles, [0, 1], 0)).toBe('1, a 0');
  });

  it('adds stops until nothing is broken', () => {
    const cycles = cyclesOf(
      5,
      ['strong', 'strong', 'weak'],
      [
        [0, 1, 0],
        [1, 0],
        [1, 2, 1],
        [2, 3],
        [3, 0],
        [2, 4, 2],
        [4, 0],
      ],
    );
    expect(around(cycles, [0, 1, 2, 3, 4], 0)).toBe('a 1, b 2, 3, 0');
  });

  it('goes on from one stop to the next', () => {
    const cycles = cyclesOf(
      3,
      ['strong', 'strong'],
      [
        [0, 1, 0],
        [0, 2, 1],
        [1, 0],
        [2, 0],
      ],
    );
    expect(around(cycles, [0, 1, 2], 0)).toBe('a 1, 0, b 2, 0');
  });

  it('adds no stop for what it takes anyway', () => {
    const cycles = cyclesOf(
      5,
      ['strong', 'strong'],
      [
        [0, 1, 0],
        [1, 3, 1],
        [1, 2],
        [2, 0, 1],
        [3, 4],
        [4, 0],
      ],
    );
    expect(around(cycles, [0, 1, 2, 3, 4], 0)).toBe('a 1, 2, b 0');
  });

  it('may pass one stop for each weakly fair action', () => {
    const cycles = cyclesOf(
      4,
      ['weak', 'weak'],
      [
        [0, 1],
        [0, 3, 0],
        [0, 3, 1],
        [1, 2],
        [1, 3, 1],
        [2, 0],
        [2, 3, 0],
      ],
    );
    expect(around(cycles, [0, 1, 2], 0)).toBe('1, 2, 0');
  });

  it('counts each action once in a state with two of its steps', () => {
    const cycles = cyclesOf(
      4,
      ['weak'],
      [
        [0, 1],
        [0, 2, 0],
        [0, 3, 0],
        [1, 0],
      ],
    );
    expect(around(cycles, [0, 1], 0)).toBe('1, 0');
  });

  it('stays inside its component, and forgets it afterwards', () => {
    const cycles = cyclesOf(
      6,
      ['strong'],
      [
        [0, 4],
        [4, 1, 0],
        [0, 2],
        [2, 3],
        [3, 1, 0],
        [1, 0],
        [0, 5, 0],
      ],
    );
    expect(around(cycles, [0, 1, 2, 3, 4], 0)).toBe('4, a 1, 0');
    expect(around(cycles, [0, 1, 2, 3], 0)).toBe('2, 3, a 1, 0');
    expect(around(cycles, [0, 1, 2, 3], 0)).toBe('2, 3, a 1, 0');
  });

  it('is refused where there is none', () => {
    const cycles = cyclesOf(
      3,
      ['strong'],
      [
        [0, 1],
        [1, 0],
        [0, 2, 0],
      ],
    );
    expect(() => cycles.around(Int32Array.of(0, 1), 0)).toThrow('no way round in a component of 2 states');
    expect(around(cycles, [0, 1], 1)).toBe('');
  });
});
