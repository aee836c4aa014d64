import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outside, StrongComponents } from '../../../src/explore/strong-components.ts';
import { type Edge, rowsOf } from './rows.ts';

function split(components: StrongComponents, from: number, to: number): number {
  return [...components.split(from, to)].length;
}

function componentsOf(states: number, edges: readonly Edge[]): StrongComponents {
  const components = new StrongComponents(rowsOf(states, edges));
  split(components, 0, states);
  return components;
}

/** By state: the states that it reaches, itself included. */
function reach(states: number, edges: readonly Edge[]): Set<number>[] {
  return Array.from({ length: states }, (_, start) => {
    const reached = new Set([start]);
    for (const state of reached) for (const [from, to] of edges) if (from === state) reached.add(to);
    return reached;
  });
}

const graph = fc
  .integer({ min: 1, max: 7 })
  .chain((states) =>
    fc.tuple(
      fc.constant(states),
      fc.array(fc.tuple(fc.nat(states - 1), fc.nat(states - 1)), { maxLength: 14 }),
    ),
  );

describe('strongly connected components', () => {
  it('are named downwards, those that lead nowhere first', () => {
    const { name, order } = componentsOf(5, [
      [0, 1],
      [1, 2],
      [2, 1],
      [2, 3],
      [4, 0],
    ]);
    const first = outside - 1;
    expect([...name]).toEqual([first - 2, first - 1, first - 1, first, first - 3]);
    expect([...order]).toEqual([3, 2, 1, 0, 4]);
  });

  it('hold the states that reach each other, side by side', () => {
    fc.assert(
      fc.property(graph, ([states, edges]) => {
        const reached = reach(states, edges);
        const { name, order } = componentsOf(states, edges);
        expect([...order].sort()).toEqual([...order.keys()]);
        for (let state = 0; state < states; state += 1) {
          const mates = [...order.keys()].filter((other) => name[other] === name[state]);
          const both = [...order.keys()].filter(
            (other) => reached[state]?.has(other) && reached[other]?.has(state),
          );
          expect(mates).toEqual(both);
        }
        const names = [...order].map((state) => name[state] as number);
        expect(names).toEqual([...names].sort((a, b) => b - a));
      }),
      { numRuns: 150 },
    );
  });

  it('can be taken apart again, without what was left out and without the rest', () => {
    const components = componentsOf(5, [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 0],
      [2, 1],
      [0, 4],
    ]);
    const { name, order } = components;
    expect([...order]).toEqual([4, 1, 2, 3, 0]);
    const alone = name[4];
    name[3] = outside;
    for (const state of [0, 1, 2]) name[state] = 0;
    order.set([4, 3, 0, 1, 2]);
    split(components, 2, 5);
    expect([...order]).toEqual([4, 3, 2, 1, 0]);
    expect([name[4], name[3], name[1]]).toEqual([alone, outside, name[2]]);
    expect([name[0], name[1]]).toEqual([outside - 4, outside - 3]);
  });

  it('pass over what lies before and after the places that are asked for', () => {
    const components = new StrongComponents(rowsOf(4, []));
    split(components, 1, 3);
    expect([...components.name]).toEqual([0, outside - 1, outside - 2, 0]);
    expect([...components.order]).toEqual([0, 1, 2, 3]);
  });

  it('are the same from wherever the walk begins', () => {
    const components = new StrongComponents(
      rowsOf(2, [
        [0, 1],
        [1, 0],
      ]),
    );
    components.order.set([1, 0]);
    split(components, 0, 2);
    expect([...components.name]).toEqual([outside - 1, outside - 1]);
  });

  it.each([
    [0x3ffe, 0],
    [0x3fff, 0],
    [0x4000, 1],
  ])('pauses now and then: %i steps, %i pauses', (states, pauses) => {
    expect(split(new StrongComponents(rowsOf(states, [])), 0, states)).toBe(pauses);
  });
});
